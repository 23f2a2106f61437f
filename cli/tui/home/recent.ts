import type { AuditEventView } from '../../../shared/audit.ts'
import type { FullOrganization } from '../../../shared/organization.ts'
import { unseenTitle } from '../../flows/member/unseen.ts'
import { pendingInvitations } from '../../flows/org/view.ts'
import { relativeTime } from '../../output/time.ts'
import { countText } from '../../output/words.ts'

/** The last events of the account, as far as one answer holds them. */
export interface RecentEvents {
  readonly events: readonly Pick<AuditEventView, 'lastAt' | 'count'>[]
  readonly isWhole: boolean
}

export const recentDays = 14
const day = 24 * 3_600_000
export const startOfRecent = (now: number): Date => new Date(now - recentDays * day)

/** How many events each day had, the last 24 hours at the end. */
export const eventsByDay = ({ events }: RecentEvents, now: number): readonly number[] =>
  Array.from({ length: recentDays }, (_, index) => {
    const isOnDay = ({ lastAt }: RecentEvents['events'][number]) =>
      Math.max(0, Math.floor((now - lastAt.getTime()) / day)) === recentDays - 1 - index
    return events.filter(isOnDay).reduce((sum, { count }) => sum + count, 0)
  })

const bars = '▁ ▂ ▃ ▄ ▅ ▆ ▇ █'.split(' ')

/** One bar per number, relative to the largest. Only zero has the lowest. */
export function sparkline(counts: readonly number[]): string {
  const most = Math.max(1, ...counts)
  return counts.map((count) => bars[Math.ceil((count / most) * (bars.length - 1))]).join('')
}

/** `23 events in 14 days` */
export function recentSummary(recent: RecentEvents, now: number): string {
  const count = eventsByDay(recent, now).reduce((sum, one) => sum + one, 0)
  const many = recent.isWhole ? countText(count) : `${countText(count)} or more`
  return `${many} ${recent.isWhole && count === 1 ? 'event' : 'events'} in ${recentDays} days`
}

/**
 * `3 wait for an answer, the first ends in 2 days`; undefined if none waits. Of an incomplete list nobody knows which one
 * ends first.
 */
export function waitingInvitations(
  { invitations, incomplete = [] }: Pick<FullOrganization, 'invitations' | 'incomplete'>,
  now: number,
): string | undefined {
  const ends = pendingInvitations(invitations).map(({ expiresAt }) => expiresAt.getTime())
  if (ends.length === 0) return undefined
  if (incomplete.includes('invitations')) return `${countText(ends.length)}+ wait for an answer`
  const wait = ends.length === 1 ? '1 waits' : `${countText(ends.length)} wait`
  return `${wait} for an answer, ${ends.length === 1 ? 'it' : 'the first'} ends ${relativeTime(new Date(Math.min(...ends)), now)}`
}

/** `3 not seen for 30 days`; undefined if there are none. */
export const unseenMembers = (unseen = 0): string | undefined =>
  unseen === 0 ? undefined : `${countText(unseen)} ${unseenTitle.toLowerCase()}`

/** `3 in the last 24 hours`, `2 5 days ago`: zeros are tedious to hear. */
const daysWithEvents = (recent: RecentEvents, now: number): readonly string[] =>
  eventsByDay(recent, now)
    .toReversed()
    .flatMap((count, days) =>
      count === 0 ? [] : [`${countText(count)} ${days === 0 ? 'in the last 24 hours' : daysAgo(days)}`],
    )

const daysAgo = (days: number): string => (days === 1 ? '1 day ago' : `${days} days ago`)

interface Recent {
  readonly recent: RecentEvents | undefined
  readonly place: FullOrganization | null | undefined
  readonly unseen: number
}

/** The same in lines, for reading aloud. */
export function recentLines({ recent, place, unseen }: Recent, now: number): readonly string[] {
  const waiting = place && waitingInvitations(place, now)
  const gone = unseenMembers(unseen)
  return [
    ...(recent && recent.events.length > 0
      ? [`${recentSummary(recent, now)}: ${daysWithEvents(recent, now).join(', ')}`]
      : []),
    ...(waiting ? [`Invitations of ${place.name}: ${waiting}`] : []),
    ...(place && gone ? [`Members of ${place.name}: ${gone}`] : []),
  ]
}
