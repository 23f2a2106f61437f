import { auditEventNames, eventsNamed } from '../../../shared/audit-events.ts'
import { nearest } from '../nearest.ts'

/** Groups too: what stands before a dash. */
const known = [
  ...new Set(
    auditEventNames.flatMap((name) => name.split('-').map((_, end, parts) => parts.slice(0, end + 1).join('-'))),
  ),
]

/** What is wrong with names of events, before the service is asked. */
export function eventProblem(text: string, name: string): string | undefined {
  const unknown = text.split(',').find((word) => eventsNamed(word).length === 0)
  if (text === '' || unknown === undefined) return undefined
  const meant = nearest(unknown, known)
  return `${name} knows no event ${unknown}. ${meant === undefined ? `There are: ${auditEventNames.join(', ')}` : `Did you mean ${meant}?`}`
}
