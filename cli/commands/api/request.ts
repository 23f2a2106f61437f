import type { ApiRequest } from '../../client/connection.ts'
import { usageError } from '../../output/cli-error.ts'

type Method = ApiRequest['method']

/** The request that a path, a method and fields come to: fields are the query of a GET, the body of a POST. */
export function requestOf(path: string, asked: string, fields: Readonly<Record<string, unknown>>): ApiRequest {
  const method = methodOf(asked)
  const [plain = '', search = ''] = path.split('?', 2)
  const query = { ...Object.fromEntries(new URLSearchParams(search)), ...(method === 'GET' ? texts(fields) : {}) }
  const hasQuery = Object.keys(query).length > 0
  return { method, path: slashed(plain), ...(hasQuery && { query }), ...(method === 'POST' && { body: fields }) }
}

function methodOf(text: string): Method {
  const method = text.toUpperCase()
  if (method === 'GET' || method === 'POST') return method
  throw usageError(`The service knows GET and POST, not ${text}`, 'See its calls: postern api list', ['--method'])
}

const slashed = (path: string): string => (path.startsWith('/') ? path : `/${path}`)

const texts = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
