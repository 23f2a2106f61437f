import type { AuditEventView } from '../../../shared/audit.ts'
import { isMachineAddress } from '../../../shared/email.ts'
import type { Session, SessionView } from '../../../shared/entities.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import type { InvitationView } from '../../../shared/organization.ts'
import { isAddressProven } from '../../flows/account/me.ts'
import { keyStatus } from '../../flows/key/keys.ts'
import { deviceOf } from '../../flows/session/sessions.ts'
import { relativeTime } from '../../output/time.ts'
import { countText, roleText } from '../../output/words.ts'
import { type ShownError, showsNeedOfVerification } from '../text/shown-error.ts'
import { type HomePartName, type HomeParts, homePartNames, notableEvents } from './parts.ts'

/** One part of the home data: the last answer, and why there is none or no newer one. */
export interface PartResult<T> {
  readonly data: T | undefined
  readonly shownError: ShownError | undefined
}
export type HomeAnswers = { readonly [N in HomePartName]: PartResult<HomeParts[N]> }

/** The data behind the notices. */
export interface HomeView {
  readonly me: SessionView
  readonly answers: HomeAnswers
  /** How many members of the organization were not seen lately, once known. Nothing waits for it. */
  readonly unseen?: number | undefined
  /** Time of the last activity that the user has seen on this machine. */
  readonly since: Date
  readonly now: number
}

/** Something that waits for the user or looks unusual. */
export type Notice = { readonly id: string; readonly label: string; readonly hint: string } & (
  | { readonly kind: 'address'; readonly hidesInvitations: boolean }
  | { readonly kind: 'invitation'; readonly invitation: InvitationView }
  | { readonly kind: 'sessions'; readonly sessions: readonly Session[] }
  | { readonly kind: 'key'; readonly key: MachineKey }
  | { readonly kind: 'events' }
)

/** Pending tasks first, then unusual events. */
export const noticesOf = (view: HomeView): readonly Notice[] => [
  ...addressNotice(view),
  ...(view.answers.invitations.data ?? []).map((invitation) => invitationNotice(invitation, view.now)),
  ...sessionsNotice(view),
  ...eventNotices(view),
  ...keyNotices(view),
]

function addressNotice({ me, answers: { invitations } }: HomeView): readonly Notice[] {
  const { user, session } = me
  // An impersonator cannot verify the user's address.
  if (isAddressProven(me) || isMachineAddress(user.email) || session.impersonatedBy !== null) return []
  const hidesInvitations = invitations.shownError !== undefined && showsNeedOfVerification(invitations.shownError)
  const hint = hidesInvitations ? 'invitations are shown after that' : user.email
  return [{ kind: 'address', id: 'address', label: 'Verify your address', hint, hidesInvitations }]
}

const invitationNotice = (invitation: InvitationView, now: number): Notice => ({
  kind: 'invitation',
  id: invitation.id,
  label: `Invitation: ${invitation.organizationName}`,
  hint: describeInvitation(invitation, now),
  invitation,
})

const describeInvitation = ({ role, inviterEmail, expiresAt }: InvitationView, now: number): string =>
  `as ${roleText(role)}, from ${inviterEmail}, ends ${relativeTime(expiresAt, now)}`

/** Events carry no label of their machine. */
type Origin = Pick<Session, 'userAgent' | 'ipAddress'> & Partial<Pick<Session, 'label'>>

/** Whether it comes from another machine or network than this session. */
const isElsewhere = (one: Origin, here: Session): boolean =>
  isOtherMachine(one, here) || !isSameNetwork(one.ipAddress, here.ipAddress)

const isOtherMachine = (one: Origin, here: Session): boolean =>
  one.label && here.label ? one.label !== here.label : one.userAgent !== here.userAgent

/** Sessions started elsewhere since the last visit. */
function sessionsNotice({ me: { session: here }, answers, since, now }: HomeView): readonly Notice[] {
  const sessions = (answers.sessions.data ?? []).filter(
    (session) => session.id !== here.id && session.createdAt > since && isElsewhere(session, here),
  )
  const [first] = sessions
  if (!first) return []
  const label = sessions.length === 1 ? 'New session elsewhere' : `${countText(sessions.length)} new sessions elsewhere`
  const hint = `${deviceOf(first)}, ${first.ipAddress ?? 'unknown address'}, ${relativeTime(first.createdAt, now)}`
  return [{ kind: 'sessions', id: 'sessions', label, hint, sessions }]
}

/** One notice per kind of event, with the number of times. The user's own actions from here are left out. */
function eventNotices({ me, answers, since, now }: HomeView): readonly Notice[] {
  const isNews = (event: AuditEventView) => isByAnother(event, me) || isElsewhere(event, me.session)
  const { events: all = [], cut = [] } = answers.events.data ?? {}
  const events = all.filter((event) => event.lastAt > since && isNews(event))
  return Object.entries(notableEvents).flatMap(([name, [one, several]]): readonly Notice[] => {
    const found = events.filter(({ event }) => event === name)
    const [last] = found
    if (!last) return []
    const times = found.reduce((sum, { count }) => sum + count, 0)
    const label = cut.includes(name) ? `${times} or more ${several}` : `${times} ${times === 1 ? one : several}`
    return [{ kind: 'events', id: `event ${name}`, label, hint: whenAndWhere(last, now) }]
  })
}

/**
 * Whether somebody else acted, such as an administrator, even from this machine. A failed sign-in has no known actor
 * and does not count.
 */
const isByAnother = ({ actorId, impersonatorId }: AuditEventView, { user }: SessionView): boolean =>
  (impersonatorId ?? actorId ?? user.id) !== user.id

const whenAndWhere = ({ lastAt, ipAddress, userAgent }: AuditEventView, now: number): string =>
  [relativeTime(lastAt, now), ipAddress && `from ${ipAddress}`, userAgent && `by ${userAgent}`]
    .filter(Boolean)
    .join(', ')

const maxKeys = 3

/** The keys that expire soonest. */
function keyNotices({ answers, now }: HomeView): readonly Notice[] {
  const expiring = (answers.keys.data ?? []).filter((key) => keyStatus(key, now) === 'expiring')
  const sorted = expiring.toSorted((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime())
  return sorted.slice(0, maxKeys).map((key, index) => {
    const rest = index === maxKeys - 1 ? sorted.length - maxKeys : 0
    const of = key.organizationId === null ? 'your own' : `as ${roleText(key.role ?? [])}`
    const hint = `ends ${relativeTime(key.expiresAt, now)}, ${of}${rest > 0 ? `; and ${rest} more end soon` : ''}`
    return { kind: 'key', id: key.id, label: `Key ${key.name} expires`, hint, key }
  })
}

const words: Readonly<Record<HomePartName, string>> = {
  invitations: 'invitations',
  sessions: 'your sessions',
  keys: 'keys',
  events: 'account activity',
  recent: 'recent activity',
  place: 'your organization',
}

/** The parts that could not be read, one line per reason. */
export function missingPartLines({ invitations, ...others }: HomeAnswers): readonly string[] {
  const { shownError } = invitations
  const isHidden = shownError !== undefined && showsNeedOfVerification(shownError)
  const answers = { ...others, invitations: isHidden ? { data: [], shownError: undefined } : invitations }
  const names = new Map<string, string[]>()
  for (const name of homePartNames) {
    const sentence = answers[name].shownError?.sentence
    if (sentence !== undefined) names.set(sentence, [...(names.get(sentence) ?? []), words[name]])
  }
  return [...names].map(([sentence, parts]) => `Could not load ${parts.join(', ')}: ${sentence}`)
}

export const areAnswersSettled = (answers: HomeAnswers): boolean =>
  homePartNames.every((name) => answers[name].data !== undefined || answers[name].shownError !== undefined)

/** Shown when nothing needs the user's attention. */
export function allClearLine(view: HomeView): string | undefined {
  if (!areAnswersSettled(view.answers)) return undefined
  return noticesOf(view).length === 0 && missingPartLines(view.answers).length === 0
    ? 'Nothing waits for you, and nothing unusual has happened since your last visit.'
    : undefined
}

/** Time of the newest activity shown, by the service's clock. Undefined while sessions or events are missing. */
export function latestActivity({ me, answers: { sessions, events }, since }: HomeView): Date | undefined {
  if (!sessions.data || !events.data) return undefined
  const started = sessions.data.map(({ createdAt }) => createdAt)
  const done = events.data.events.map(({ lastAt }) => lastAt)
  const times = [since, me.session.createdAt, ...started, ...done]
  return new Date(Math.max(...times.map((time) => time.getTime())))
}

/** Whether two addresses share a customary network: an IPv4 /24 or an IPv6 /64. */
export const isSameNetwork = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && networkOf(one) === networkOf(other)

const networkOf = (address: string): string =>
  address.includes(':') ? groupsOf(address).slice(0, 4).join(':') : address.split('.').slice(0, 3).join('.')

/** The eight groups of an IPv6 address, with `::` expanded. */
function groupsOf(address: string): readonly string[] {
  const [start = [], end] = address.split('::').map((part) => part.split(':').filter(Boolean))
  if (!end) return start
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end]
}
