import { isDeepStrictEqual } from 'node:util'
import type { SessionView } from '../../../shared/entities.ts'
import type { ListedOrganization, Organization } from '../../../shared/organization.ts'
import { type AccountRef, isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'
import type { ObservedRequest } from '../../client/connection.ts'
import { onlyOne } from '../../flows/org/organizations.ts'
import type { TuiConnection, TuiPorts } from '../ports.ts'
import { isRefusal, type ShownError, toShownError } from '../text/shown-error.ts'
import type { LoggedRequest } from './request-log.ts'
import type { Takeover } from './takeover.ts'

/** The current session, and the state of the service. */
export interface AppState {
  readonly accounts: readonly StoredAccount[]
  readonly current: StoredAccount | undefined
  readonly connection: TuiConnection | undefined
  /** Null when nobody is signed in. Undefined while unknown. */
  readonly me: SessionView | null | undefined
  /** The signed-in user's organizations. Undefined while unknown. */
  readonly organizations: readonly ListedOrganization[] | undefined
  /**
   * Whether the signed-in user may list the service's users, which the roles alone do not tell. Undefined while
   * unknown.
   */
  readonly isAdmin: boolean | undefined
  /** How the session ended. Kept until somebody is signed in. */
  readonly ended: SessionEnd | undefined
  /** Another process changed who the account acts as. Kept until the user acknowledges it. */
  readonly takeover: Takeover | undefined
  /** Why the last attempt to reach the service failed. */
  readonly shownError: ShownError | undefined
  /** Data on the screen that could not be refreshed. */
  readonly stale: Stale | undefined
  /** Time of the last successful read, in milliseconds since 1970. */
  readonly asOf: number | undefined
  readonly link: 'connecting' | 'online' | 'offline'
  /** Newest first. */
  readonly requests: readonly LoggedRequest[]
  /** Increases whenever loaded data may have become outdated. */
  readonly revision: number
  /** Increases whenever the screen refreshes in the background. */
  readonly beat: number
}

/** An end of the current session that this run did not cause. `over` means that it was found ended. */
export interface SessionEnd {
  readonly account: StoredAccount
  /** The service's URL. */
  readonly server: string
  readonly how: 'expired' | 'elsewhere' | 'over' | 'another-terminal' | 'impersonation'
}

export const startState: AppState = {
  accounts: [],
  current: undefined,
  connection: undefined,
  me: undefined,
  organizations: undefined,
  isAdmin: undefined,
  ended: undefined,
  takeover: undefined,
  shownError: undefined,
  stale: undefined,
  asOf: undefined,
  link: 'connecting',
  requests: [],
  revision: 0,
  beat: 0,
}

/** Why and since when data is outdated. */
export interface Stale {
  readonly shownError: ShownError
  readonly asOf: number
}

/** Why the data on the screen is outdated, if it is. */
export const staleIn = ({ me, shownError, asOf, stale }: AppState): Stale | undefined =>
  me && shownError && asOf !== undefined ? { shownError, asOf } : stale

/** The organization that calls use by default. */
export const activeOrganization = ({
  me,
  organizations,
}: Pick<AppState, 'me' | 'organizations'>): Organization | undefined =>
  organizations?.find(({ id }) => id === me?.session.activeOrganizationId)

/** The organization that commands use by default: the active one, or the user's only one. */
export const defaultOrganization = (state: Pick<AppState, 'me' | 'organizations'>): Organization | undefined =>
  activeOrganization(state) ?? onlyOne(state.organizations ?? [])

/** True for an impersonation by an account of this machine, or by a token of the environment. */
export const isImpersonating = ({ current, me }: Pick<AppState, 'current' | 'me'>): boolean =>
  current?.impersonating !== undefined || (me?.session.impersonatedBy ?? null) !== null

interface AccountSelection {
  readonly chosen: AccountRef | undefined
  /** Only the chosen account will do. */
  readonly isNamed: boolean
  readonly home: string
}

/** The chosen account if it is still stored, otherwise the current one at the service that this run was started for. */
export function selectAccount(
  accounts: readonly StoredAccount[],
  { chosen, isNamed, home }: AccountSelection,
): StoredAccount | undefined {
  const found = chosen && accounts.find((account) => isSameAccount(account, chosen))
  if (found || (chosen && isNamed)) return found
  return accounts.find(({ isCurrent, origin }) => isCurrent && origin === home)
}

/** How the account's session ended, if that is known already. */
export const knownEndOf = (account: StoredAccount, { ended }: Pick<AppState, 'ended'>): SessionEnd | undefined =>
  ended && isSameAccount(ended.account, account) ? ended : undefined

/** One round of reading. `set` does nothing once a newer round has started. */
export interface ReadRound {
  readonly set: (change: Partial<AppState>) => void
  readonly isOvertaken: () => boolean
  readonly isQuiet: boolean
}

export interface AccountReadRound extends ReadRound {
  readonly accounts: readonly StoredAccount[]
  /** The end of the previous session, if its jar is gone. */
  readonly gone: SessionEnd | undefined
}

/** Background reads stay out of the request log. */
export const apiFor = ({ api, quiet }: TuiConnection, { isQuiet }: Pick<ReadRound, 'isQuiet'>): TuiConnection['api'] =>
  isQuiet ? quiet.api : api

interface LostSession {
  readonly me: SessionView
  readonly account: StoredAccount
  readonly server: string
  /** Whether its jar still exists. */
  readonly isKept: boolean
}

/** How the session ended. The service says only that it is gone, so the rest is derived from local knowledge. */
export function sessionEndOf({ me, account, server, isKept }: LostSession, now: number): SessionEnd {
  if (!isKept) return { account, server, how: 'another-terminal' }
  if (account.impersonating !== undefined) return { account, server, how: 'impersonation' }
  return { account, server, how: me.session.expiresAt.getTime() <= now ? 'expired' : 'elsewhere' }
}

/** The end of a session that was over before its account was chosen. */
export const endFoundOnSwitch = ({ account, server }: Omit<SessionEnd, 'how'>): SessionEnd => ({
  account,
  server,
  how: account.impersonating === undefined ? 'over' : 'impersonation',
})

const endings = new Set(['/sign-out', '/revoke-sessions', '/delete-user', '/delete-user/callback', '/reset-password'])

/** Whether the request ended the session, which is then no surprise to the user. */
export function endsSession({ path, body, status = 500 }: ObservedRequest, { session, user }: SessionView): boolean {
  if (status >= 400) return false
  const { token, userId } = Object(body) as { readonly token?: unknown; readonly userId?: unknown }
  return (
    endings.has(path) ||
    (path === '/revoke-session' && token === session.id) ||
    (path.startsWith('/admin/') && userId === user.id)
  )
}

const others = 'the password was changed, or the account was banned or deleted: the service does not say which.'
const words: Readonly<Record<SessionEnd['how'], readonly [what: string, why: string]>> = {
  expired: ['has expired', 'It was not used for a long time, or has reached its maximum lifetime.'],
  elsewhere: ['was ended elsewhere', `It was revoked, ${others}`],
  over: ['is over', `It has expired or was revoked, ${others}`],
  'another-terminal': ['was ended on this machine', 'Another terminal signed out.'],
  impersonation: [
    'that impersonates somebody has ended',
    'Home offers to stop impersonating. Your own session is still valid.',
  ],
}

/** The notice about an ended session, with the form to sign in again. */
export function sessionEndNotice({ how, account: { email }, server }: SessionEnd): ShownError {
  const [what, why] = words[how]
  return {
    sentence: `The session of ${email} ${what}.`,
    hint: why,
    status: undefined,
    offer: how === 'impersonation' ? undefined : { form: 'sign-in', email, server },
    details: [],
  }
}

interface SignedOutState {
  /** The account whose session is over. */
  readonly current: StoredAccount | undefined
  readonly ended: SessionEnd | undefined
}

/** Why nobody is signed in. */
export function whySignedOut({ current, ended }: SignedOutState, { named }: Pick<TuiPorts, 'named'>): string {
  if (ended) return sessionEndNotice(ended).sentence
  if (current) return `The session of ${current.email} is over.`
  return named ? `${named.email} is not signed in here.` : 'Nobody is signed in here.'
}

/** Whether the user may administer the service. The answer is cached until what it depends on changes. */
export class AdminCheck {
  #asked: { readonly about: string; readonly answer: Promise<boolean> } | undefined

  /** False when the service refuses or does not answer. In the latter case the next call asks again. */
  isFor(api: TuiConnection['api'], { session, user }: SessionView): Promise<boolean> {
    // ADMIN_EMAILS names an administrator, who is one as soon as the address is verified.
    const about = `${session.id} ${user.role?.join(',')} ${user.email} ${user.emailVerified}`
    if (this.#asked?.about !== about) this.#asked = { about, answer: this.#ask(api, about) }
    return this.#asked.answer
  }

  async #ask(api: TuiConnection['api'], about: string): Promise<boolean> {
    try {
      return (await api.admin.hasPlatformPermission({ permissions: { user: ['list'] } })).success
    } catch (error) {
      if (!isRefusal(toShownError(error)) && this.#asked?.about === about) this.#asked = undefined
      return false
    }
  }
}

/** The owner of everything on the screen: a user at a service, and whom they impersonate. Undefined while unknown. */
export function ownerOf({ current, me }: Pick<AppState, 'current' | 'me'>): string | undefined {
  if (current) return `${current.origin} ${current.email} ${current.impersonating ?? ''}`
  return me === null ? 'nobody' : undefined
}

/**
 * Remembers for whom something is begun. The function that it returns says why it may no longer be done, if another
 * account is used by then.
 */
export function begunBy(begin: AppState, { isForAnyone = false } = {}): (now: AppState) => string | undefined {
  const owner = isForAnyone ? undefined : begin.current && ownerOf(begin)
  return (now) => {
    if (owner === undefined || ownerOf(now) === owner) return undefined
    const as = now.current ? `you are ${now.current.impersonating ?? now.current.email} now` : 'nobody is signed in now'
    return `you began it as ${begin.current?.impersonating ?? begin.current?.email}, and ${as}`
  }
}

/** Returns `before` when `after` is deeply equal, so that nothing renders again. */
export const keepIfEqual = <T>(before: T, after: T): T => (isDeepStrictEqual(before, after) ? before : after)
