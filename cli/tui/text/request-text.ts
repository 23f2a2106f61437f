import type { ObservedRequest } from '../../client/connection.ts'
import { allFlows } from '../../flows/all.ts'
import { commandForRequest } from '../../flows/request-command.ts'
import type { Detail } from '../../flows/resource-fields.ts'
import { hiddenMark, shownBody, shownValue } from '../../flows/shown-body.ts'
import { curlLine, type ShellValue } from '../../output/curl-line.ts'
import { commandLine } from '../../output/shell-line.ts'
import { fullTime } from '../../output/time.ts'
import type { LoggedRequest } from '../state/request-log.ts'

/** ` ×12` for a request repeated in a row with the same answer. */
export const repeatText = ({ times }: Pick<LoggedRequest, 'times'>): string => (times > 1 ? ` ×${times}` : '')

/** One request, as a command and as curl. */
export const requestDetail = (request: LoggedRequest): Detail => ({
  id: request.id,
  title: `Request ${request.id}`,
  facts: [
    { label: 'Request', value: `${request.method} ${request.path}` },
    { label: 'Server', value: request.server },
    { label: 'Answer', value: request.status === undefined ? 'none came' : String(request.status) },
    ...(request.times > 1 ? [{ label: 'Asked', value: `${request.times} times in a row` }] : []),
    { label: 'Took', value: `${Math.round(request.milliseconds)} ms` },
    { label: 'When', value: fullTime(request.at) },
    { label: 'Request id', value: request.requestId ?? '-' },
  ],
  texts: [
    { text: equivalentCommand(request), tone: 'accent' },
    { text: equivalentCurl(request), tone: 'muted' },
  ],
})

/** The `postern …` command that makes the same request. */
export const equivalentCommand = ({ method, path, query, body = query }: ObservedRequest): string =>
  commandForRequest({ method, path, body }, allFlows)

/** A request with its service and account. */
interface SentRequest extends ObservedRequest {
  readonly server: string
  /** Email of the account whose session was used. Undefined for an anonymous request. */
  readonly account?: string | undefined
}

/** The request as a curl command. The session is read when the command runs, and the text holds no secrets. */
export function equivalentCurl({ method, path, query, body, server, account }: SentRequest): string {
  const shown = Object.fromEntries(Object.entries(query ?? {}).map(([key, value]) => [key, shownText(key, value)]))
  const search = query && Object.keys(query).length > 0 ? `?${new URLSearchParams(shown).toString()}` : ''
  const post = ['-X', 'POST', '-H', 'content-type: application/json', '--data-raw', JSON.stringify(shownBody(body))]
  const words = commandLine(...(method === 'POST' ? post : []), `${server}${path}${search}`)
  return curlLine([words], account === undefined ? [] : [bearerToken(server, account)])
}

const bearerToken = (server: string, account: string): ShellValue => ({
  name: 'token',
  source: `$(${commandLine('postern', 'auth', 'token', '--url', server, '--account', account)})`,
  option: 'header',
  before: 'authorization: Bearer ',
})

/** One value of a query. */
function shownText(key: string, value: unknown): string {
  const shown = shownValue(key, value) ?? hiddenMark
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}
