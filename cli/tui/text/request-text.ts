import type { Detail } from '../../flows/resource-fields.ts'
import { fullTime } from '../../output/time.ts'
import type { LoggedRequest } from '../state/request-log.ts'
import { equivalentCommand, equivalentCurl } from './equivalents.ts'

/** ` ×12` of what was asked so often in a row, with the same answer. */
export const timesText = ({ times }: Pick<LoggedRequest, 'times'>): string => (times > 1 ? ` ×${times}` : '')

/** One request, as a command and as curl. */
export const requestDetail = (request: LoggedRequest): Detail => ({
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
