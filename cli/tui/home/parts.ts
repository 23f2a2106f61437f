import type { AuditEventView } from '../../../shared/audit.ts'
import { isMachineAddress } from '../../../shared/email.ts'
import type { Session, SessionView } from '../../../shared/entities.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import type { FullOrganization, InvitationView } from '../../../shared/organization.ts'
import { pendingInvitations } from '../../flows/org/view.ts'
import { countText, roleText } from '../../output/words.ts'
import type { TuiConnection } from '../ports.ts'
import { type AppState, defaultOrganization } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import { type RecentEvents, startOfRecent } from './recent.ts'

type Calls = Pick<TuiConnection, 'api'>

/** The data of the home screen. Its parts are requested separately, so one failure does not affect the others. */
export interface HomeParts {
  readonly invitations: readonly InvitationView[]
  readonly sessions: readonly Session[]
  /** The user's own keys, and those of the active organization that the user may see. */
  readonly keys: readonly MachineKey[]
  /** Security events of the account, each kind newest first. */
  readonly events: NotableEvents
  /** All events of the account in the last days. */
  readonly recent: RecentEvents
  /** The active organization. Null when there is none. */
  readonly place: FullOrganization | null
}

interface NotableEvents {
  readonly events: readonly AuditEventView[]
  /** The kinds of which there are more. */
  readonly cut: readonly string[]
}

export type HomePartName = keyof HomeParts
export const homePartNames = [
  'invitations',
  'sessions',
  'keys',
  'events',
  'recent',
  'place',
] as const satisfies readonly HomePartName[]

/** The events worth a notice, with their name in singular and plural. */
export const notableEvents: Readonly<Record<string, readonly [one: string, several: string]>> = {
  'sign-in-failed': ['failed sign-in', 'failed sign-ins'],
  'password-changed': ['change of the password', 'changes of the password'],
  'password-reset-done': ['reset of the password', 'resets of the password'],
  'password-set': ['new password', 'new passwords'],
  'user-password-set': ['new password by an administrator', 'new passwords by an administrator'],
  'email-changed': ['change of the address', 'changes of the address'],
  'account-linked': ['new linked account', 'new linked accounts'],
  'user-banned': ['ban by an administrator', 'bans by an administrator'],
  'impersonation-started': ['time an administrator acted as you', 'times an administrator acted as you'],
}

/** Whether the user gets security notices: not for an impersonated user, and not for a machine. */
const getsSecurityNotices = ({ user, session }: SessionView): boolean =>
  session.impersonatedBy === null && !isMachineAddress(user.email)

/** The facts about the user that the requests depend on. */
export interface HomeContext {
  readonly organizationId: string | null
  readonly isWatched: boolean
}

export const homeContextOf = (me: SessionView, { organizations }: Pick<AppState, 'organizations'>): HomeContext => ({
  organizationId: me.session.activeOrganizationId ?? defaultOrganization({ me, organizations })?.id ?? null,
  isWatched: getsSecurityNotices(me),
})

type LoadHomePart<N extends HomePartName> = (
  connection: Calls,
  asker: HomeContext,
  since: Date,
) => Promise<HomeParts[N]>

/** At most one request per part, except for keys and for many events. */
export const loadHomePart: { readonly [N in HomePartName]: LoadHomePart<N> } = {
  invitations: ({ api }) => api.invitation.listUserInvitations(),
  sessions: async ({ api }, asker) => (asker.isWatched ? api.session.listSessions() : []),
  keys: async (connection, asker) => {
    const [own, others] = await Promise.all([
      asker.isWatched ? connection.api.key.listKeys({}) : [],
      organizationKeys(connection, asker),
    ])
    return [...own, ...others]
  },
  events: async (connection, { isWatched }, since) =>
    isWatched ? readNotable(connection, since, Object.keys(notableEvents)) : { events: [], cut: [] },
  recent: async ({ api }, { isWatched }) => {
    if (!isWatched) return { events: [], isWhole: true }
    const { events, next } = await api.audit.listActivity({
      since: startOfRecent(Date.now()).toISOString(),
      limit: '100',
    })
    return { events, isWhole: next === null }
  },
  place: async ({ api }, { organizationId }) =>
    organizationId === null ? null : api.organization.getFullOrganization({ organizationId }),
}

/** Nobody can hide one kind behind many of another, such as failed sign-ins: where there are too many, each is read apart. */
async function readNotable({ api }: Calls, since: Date, kinds: readonly string[]): Promise<NotableEvents> {
  const query = { event: kinds.join(','), since: since.toISOString(), limit: '100' }
  const { events, next } = await api.audit.listActivity(query)
  if (next === null || kinds.length === 1) return { events, cut: next === null ? [] : kinds }
  const groups = [kinds.slice(0, 1), kinds.slice(1)]
  const parts = await Promise.all(groups.map((group) => readNotable({ api }, since, group)))
  return { events: parts.flatMap((part) => part.events), cut: parts.flatMap(({ cut }) => cut) }
}

/**
 * The organization's keys, for users who may create members. Otherwise nothing is requested, since the service would
 * refuse.
 */
async function organizationKeys({ api }: Calls, { organizationId }: HomeContext): Promise<readonly MachineKey[]> {
  if (organizationId === null) return []
  const { success } = await api.organization.hasPermission({ organizationId, permissions: { member: ['create'] } })
  return success ? api.key.listKeys({ organizationId }) : []
}

/** `as owner, 100+ members, 3 invitations, 2 teams`: of a list that the answer holds only in part, with a plus. */
export function organizationSummary(place: FullOrganization, { user }: SessionView): string {
  const { members, invitations, teams, incomplete = [] } = place
  const role = members.find(({ userId }) => userId === user.id)?.role
  const counted = (list: (typeof incomplete)[number], count: number) => {
    if (incomplete.includes(list)) return `${countText(count)}+ ${list}`
    return `${countText(count)} ${count === 1 ? list.slice(0, -1) : list}`
  }
  return [
    ...(role ? [`as ${roleText(role)}`] : []),
    counted('members', members.length),
    counted('invitations', pendingInvitations(invitations).length),
    ...(teams ? [counted('teams', teams.length)] : []),
  ].join(', ')
}

/** Time of the last activity that the user has seen on this machine. On the first visit, the start of this session. */
export async function readLastSeen({
  state: { current, me },
  ports,
}: Pick<AppStore, 'state' | 'ports'>): Promise<Date> {
  const last = current && (await ports.lastSeen.last(current.origin, current.email))
  return last ?? me?.session.createdAt ?? new Date()
}

/** Records what was shown, so that it is not news at the next visit. If that fails, it is shown again. */
export async function recordLastSeen({ state: { current }, ports }: Pick<AppStore, 'state' | 'ports'>, seen: Date) {
  if (!current || current.impersonating !== undefined) return
  await ports.lastSeen.note(current.origin, current.email, seen).catch(() => {})
}
