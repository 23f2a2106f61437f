import { AnswerError } from '../errors.ts'
import { parseJson } from '../json.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

// Accepts text/plain: a proxy may drop the type, and the content is validated anyway.
const jsonTypes = /^(?:application\/(?:[\w.+-]+\+)?json|text\/plain)$/

/**
 * The parsed body of an answer. Null for an error without a body. Throws AnswerError when the answer is not from the
 * service.
 */
export function parseAnswer(origin: string, { status, headers, text }: RawAnswer): unknown {
  if (status >= 300 && status < 400) throw foreignAnswerError(origin, status, 'a redirect, which is not followed')
  if (text === '' && status < 300) throw foreignAnswerError(origin, status, 'nothing at all')
  if (text === '') return null
  const type = typeOf(headers)
  if (type !== '' && !jsonTypes.test(type)) throw foreignAnswerError(origin, status, `${type} instead of JSON`)
  try {
    return parseJson(text)
  } catch (error) {
    throw foreignAnswerError(origin, status, 'text that is not JSON', error)
  }
}

/** The media type without parameters, or `unknown`. */
function typeOf(headers: Readonly<Record<string, string>>): string {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return type === '' || /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? type : 'unknown'
}

const foreignAnswerError = (origin: string, status: number, what: string, cause?: unknown): AnswerError =>
  new AnswerError(
    `${origin} answered ${status} with ${what}`,
    'The answer may not come from the service. Check the URL: postern auth status --explain',
    cause,
  )
