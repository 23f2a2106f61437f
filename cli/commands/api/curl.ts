import type { Identity } from '../../accounts/identity.ts'
import type { ApiRequest } from '../../client/connection.ts'
import type { RequestField } from './fields.ts'

export interface CurlParts {
  /** With the fields that no file holds. */
  readonly request: ApiRequest
  readonly fields: readonly RequestField[]
  /** Of the service, with the prefix of its calls. */
  readonly base: string
  readonly identity: Identity
}

/** The same request as a line for a shell: session and files are read when it runs, so that no secret is printed. */
export function curlLine({ request, fields, base, identity }: CurlParts): string {
  const { method, path, query, body } = request
  const search = query ? `?${new URLSearchParams(query).toString().replaceAll('+', '%20')}` : ''
  const files = fields.filter(({ file }) => file !== undefined)
  const bearer = bearerOf(identity, base)
  const words = ['curl -sS']
  if (method === 'POST') words.push('-X POST', '-H', quoted('content-type: application/json'))
  if (bearer !== undefined) words.push('-H', `"authorization: Bearer ${bearer}"`)
  if (method === 'GET' && files.length > 0) words.push('-G', ...files.map(queryOf))
  if (method === 'POST' && files.length > 0) words.unshift(bodyCommand(path, fields), '|')
  if (method === 'POST') words.push(files.length > 0 ? '--data-binary @-' : `--data-raw ${quoted(json(body))}`)
  return [...words, quoted(base + path + search)].join(' ')
}

const json = (body: unknown): string => JSON.stringify(body ?? {})

/** Names service and account, or where the token comes from: whoever is signed in where the line runs, it sends no other one. */
function bearerOf({ token, account, file }: Identity, base: string): string | undefined {
  if (account) return `$(postern auth token --url ${quoted(base)} --account ${quoted(account.email)})`
  if (file !== undefined) return `$(cat -- ${quoted(file)})`
  return token && '${POSTERN_TOKEN:?}'
}

const bodyCommand = (path: string, fields: readonly RequestField[]): string =>
  ['postern api', quoted(path), ...fields.map(flagOf), '--print body'].join(' ')

const flagOf = ({ flag, key, text, file }: RequestField): string =>
  `${flag} ${quoted(`${key}=${file === undefined ? text : file === '-' ? file : `@${file}`}`)}`

const queryOf = ({ key, file = '-' }: RequestField): string =>
  `--data-urlencode ${quoted(`${key}=`)}"$(cat ${file === '-' ? '' : `-- ${quoted(file)}`})"`

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
