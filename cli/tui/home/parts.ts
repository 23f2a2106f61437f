import type { AuditEventView } from '../../../shared/audit.ts'
import { isMachineAddress } from '../../../shared/email.ts'
import type { Session, SessionView } from '../../../shared/entities.ts'
import type { MachineKey } from '../../../shared/machine-key.ts'
import type { FullOrganization, InvitationView } from '../../../shared/organization.ts'
import { waitingOf } from '../../flows/org/view.ts'
import { countText, roleText } from '../../output/words.ts'
import type { TuiConnection } from '../ports.ts'
import { type AppState, meantOrganization } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'

type Calls = Pick<TuiConnection, 'api'>

/** What home asks for, each part by itself: one that cannot be had takes nothing from the others. */
export interface HomeParts {
  readonly invitations: readonly InvitationView[]
  readonly sessions: readonly Session[]
  /** One's own, and those of the organization one works in, as far as one may see them. */
  readonly keys: readonly MachineKey[]
  /** What concerns the safety of the account, newest first. */
  readonly events: readonly AuditEventView[]
  /** Where one works; null: nowhere. */
  readonly place: FullOrganization | null
}

export type PartName = keyof HomeParts
export const partNames = ['invitations', 'sessions', 'keys', 'events', 'place'] as const satisfies readonly PartName[]

/** Which events are worth a word, and what they are called: one, and several. */
export const notable: Readonly<Record<string, readonly [one: string, several: string]>> = {
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

/** Nobody else's business: an administrator who acts as somebody is shown no safety notices of theirs; a machine has none. */
const isWatched = ({ user, session }: SessionView): boolean =>
  session.impersonatedBy === null && !isMachineAddress(user.email)

/** As much of who asks as the questions depend on. */
export interface Asker {
  readonly organizationId: string | null
  readonly isWatched: boolean
}

export const askerOf = (me: SessionView, { organizations }: Pick<AppState, 'organizations'>): Asker => ({
  organizationId: me.session.activeOrganizationId ?? meantOrganization({ me, organizations })?.id ?? null,
  isWatched: isWatched(me),
})

type AskPart<N extends PartName> = (connection: Calls, asker: Asker, since: Date) => Promise<HomeParts[N]>

/** At most one request for each, but for keys. */
export const askPart: { readonly [N in PartName]: AskPart<N> } = {
  invitations: ({ api }) => api.invitation.listUserInvitations(),
  sessions: async ({ api }, asker) => (asker.isWatched ? api.session.listSessions() : []),
  keys: async (connection, asker) => {
    const [own, others] = await Promise.all([
      asker.isWatched ? connection.api.key.listKeys({}) : [],
      keysWhereIWork(connection, asker),
    ])
    return [...own, ...others]
  },
  events: async ({ api }, asker, since) => {
    if (!asker.isWatched) return []
    const { events } = await api.audit.listActivity({
      event: Object.keys(notable).join(','),
      since: since.toISOString(),
      limit: '100',
    })
    return events
  },
  place: async ({ api }, { organizationId }) =>
    organizationId === null ? null : api.organization.getFullOrganization({ organizationId }),
}

/** Whoever makes them sees them; of others the service is not asked for what it would refuse. */
async function keysWhereIWork({ api }: Calls, { organizationId }: Asker): Promise<readonly MachineKey[]> {
  if (organizationId === null) return []
  const { success } = await api.organization.hasPermission({ organizationId, permissions: { member: ['create'] } })
  return success ? api.key.listKeys({ organizationId }) : []
}

/** `as owner, 12 members, 3 invitations, 2 teams`: a list that an answer holds only the start of says so. */
export function placeText(place: FullOrganization, { user }: SessionView): string {
  const { members, invitations, teams, incomplete = [] } = place
  const role = members.find(({ userId }) => userId === user.id)?.role
  const counted = (list: (typeof incomplete)[number], count: number) => {
    if (incomplete.includes(list)) return `${countText(count)} or more ${list}`
    return `${countText(count)} ${count === 1 ? list.slice(0, -1) : list}`
  }
  return [
    ...(role ? [`as ${roleText(role)}`] : []),
    counted('members', members.length),
    counted('invitations', waitingOf(invitations).length),
    ...(teams ? [counted('teams', teams.length)] : []),
  ].join(', ')
}

/** Up to when the person has seen, on this machine, what happened to their account: never here, since this session began. */
export async function seenBefore({ state: { current, me }, ports }: Pick<AppStore, 'state' | 'ports'>): Promise<Date> {
  const last = current && (await ports.visits.last(current.origin, current.email))
  return last ?? me?.session.createdAt ?? new Date()
}

/** What is shown now is no news at the next visit. Where it cannot be kept, it is told once more. */
export async function noteVisit({ state: { current }, ports }: Pick<AppStore, 'state' | 'ports'>, seen: Date) {
  if (!current || current.impersonating !== undefined) return
  await ports.visits.note(current.origin, current.email, seen).catch(() => {})
}
