import { isDeepStrictEqual } from 'node:util'
import type { SessionView } from '../../../shared/entities.ts'
import type { ListedOrganization, Organization } from '../../../shared/organization.ts'
import { type AccountAt, isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'
import type { SeenRequest } from '../../client/connection.ts'
import { onlyOne } from '../../flows/org/organizations.ts'
import type { TuiConnection, TuiPorts } from '../ports.ts'
import { isRefusal, type ShownError, toShownError } from '../text/shown-error.ts'
import type { LoggedRequest } from './request-log.ts'

/** Whose session we act with, and how the service is doing. */
export interface AppState {
  readonly accounts: readonly StoredAccount[]
  readonly current: StoredAccount | undefined
  readonly connection: TuiConnection | undefined
  /** Null: nobody is signed in; undefined: not known yet. */
  readonly me: SessionView | null | undefined
  /** Those of the signed-in person; undefined: not known. */
  readonly organizations: readonly ListedOrganization[] | undefined
  /** Whether the signed-in person may list the users of the service: their roles alone do not tell. */
  readonly isAdmin: boolean
  /** How the session came to its end, from then until somebody is signed in. */
  readonly ended: Ended | undefined
  /** Why the service could not be asked the last time. */
  readonly shownError: ShownError | undefined
  /** What is on the screen and could not be read again. */
  readonly stale: Stale | undefined
  /** When the service could last be asked. In milliseconds since 1970. */
  readonly asOf: number | undefined
  readonly link: 'connecting' | 'online' | 'offline'
  /** Newest first. */
  readonly requests: readonly LoggedRequest[]
  /** Counts the moments since which things read before may be otherwise. */
  readonly revision: number
  /** Counts the moments at which what is on the screen is read again without being asked to. */
  readonly beat: number
}

/** The end of a session that this run acts with, which nothing done here has brought about; `over`: found so. */
export interface Ended {
  readonly account: StoredAccount
  /** Where it was, as a URL. */
  readonly server: string
  readonly how: 'expired' | 'elsewhere' | 'over' | 'another-terminal' | 'impersonation'
}

export const startState: AppState = {
  accounts: [],
  current: undefined,
  connection: undefined,
  me: undefined,
  organizations: undefined,
  isAdmin: false,
  ended: undefined,
  shownError: undefined,
  stale: undefined,
  asOf: undefined,
  link: 'connecting',
  requests: [],
  revision: 0,
  beat: 0,
}

/** Data that is older than it should be. */
export interface Stale {
  readonly shownError: ShownError
  readonly asOf: number
}

/** What is shown and is not what the service says now, and why. */
export const staleIn = ({ me, shownError, asOf, stale }: AppState): Stale | undefined =>
  me && shownError && asOf !== undefined ? { shownError, asOf } : stale

/** The organization that calls without one are about. */
export const activeOrganization = ({
  me,
  organizations,
}: Pick<AppState, 'me' | 'organizations'>): Organization | undefined =>
  organizations?.find(({ id }) => id === me?.session.activeOrganizationId)

/** The one that a command without a name means: who is in one alone need not make it active. */
export const meantOrganization = (state: Pick<AppState, 'me' | 'organizations'>): Organization | undefined =>
  activeOrganization(state) ?? onlyOne(state.organizations ?? [])

/** By an account of this machine, or by a token of the environment. */
export const isImpersonating = ({ current, me }: Pick<AppState, 'current' | 'me'>): boolean =>
  current?.impersonating !== undefined || (me?.session.impersonatedBy ?? null) !== null

interface Choosing {
  readonly chosen: AccountAt | undefined
  /** That one and nobody else. */
  readonly isNamed: boolean
  readonly home: string
}

/** The chosen one, while it is kept; else the current one at the service that this run was started for. */
export function actingAmong(
  accounts: readonly StoredAccount[],
  { chosen, isNamed, home }: Choosing,
): StoredAccount | undefined {
  const found = chosen && accounts.find((account) => isSameAccount(account, chosen))
  if (found || (chosen && isNamed)) return found
  return accounts.find(({ isCurrent, origin }) => isCurrent && origin === home)
}

/** What is known already of the end of that account's session. */
export const endOf = (account: StoredAccount, { ended }: Pick<AppState, 'ended'>): Ended | undefined =>
  ended && isSameAccount(ended.account, account) ? ended : undefined

/** One round of asking. Nothing is set once it was overtaken. */
export interface Reading {
  readonly set: (change: Partial<AppState>) => void
  readonly isOvertaken: () => boolean
  readonly isQuiet: boolean
}

export interface AccountReading extends Reading {
  readonly accounts: readonly StoredAccount[]
  /** The session that was there before, where its jar is not any more. */
  readonly gone: Ended | undefined
}

/** What nobody asked for is not in the log of requests. */
export const apiFor = ({ api, quiet }: TuiConnection, { isQuiet }: Pick<Reading, 'isQuiet'>): TuiConnection['api'] =>
  isQuiet ? quiet.api : api

interface LostSession {
  readonly me: SessionView
  readonly account: StoredAccount
  readonly server: string
  /** Whether its jar is still kept on this machine. */
  readonly isKept: boolean
}

/** The service says of a session that is over only that there is none: the rest follows from what is known here. */
export function endedOf({ me, account, server, isKept }: LostSession, now: number): Ended {
  if (!isKept) return { account, server, how: 'another-terminal' }
  if (account.impersonating !== undefined) return { account, server, how: 'impersonation' }
  return { account, server, how: me.session.expiresAt.getTime() <= now ? 'expired' : 'elsewhere' }
}

/** Of an account that was chosen, and whose session was over already. */
export const foundOver = ({ account, server }: Omit<Ended, 'how'>): Ended => ({
  account,
  server,
  how: account.impersonating === undefined ? 'over' : 'impersonation',
})

const endings = new Set(['/sign-out', '/revoke-sessions', '/delete-user', '/delete-user/callback', '/reset-password'])

/** Whether that request ended the session, so that nobody is surprised by it. */
export function endsSession({ path, body, status = 500 }: SeenRequest, { session, user }: SessionView): boolean {
  if (status >= 400) return false
  const { token, userId } = Object(body) as { readonly token?: unknown; readonly userId?: unknown }
  return (
    endings.has(path) ||
    (path === '/revoke-session' && token === session.id) ||
    (path.startsWith('/admin/') && userId === user.id)
  )
}

const others = 'the password was changed, or the account was banned or deleted: the service does not say which.'
const words: Readonly<Record<Ended['how'], readonly [what: string, why: string]>> = {
  expired: ['has expired', 'It was not used for long, or has reached its longest life.'],
  elsewhere: ['was ended elsewhere', `It was revoked, ${others}`],
  over: ['is over', `It has expired or was revoked, ${others}`],
  'another-terminal': ['was ended on this machine', 'Another terminal signed out.'],
  impersonation: ['that acts as somebody else is over', 'I stops impersonating: your own session is still there.'],
}

/** What is told, with the form that signs the same person in again. */
export function endNotice({ how, account: { email }, server }: Ended): ShownError {
  const [what, why] = words[how]
  return {
    sentence: `The session of ${email} ${what}.`,
    hint: why,
    status: undefined,
    offer: how === 'impersonation' ? undefined : { form: 'sign-in', email, server },
    details: [],
  }
}

interface Nobody {
  /** Whose session is over. */
  readonly current: StoredAccount | undefined
  readonly ended: Ended | undefined
}

/** Why there is nobody. */
export function whyNobody({ current, ended }: Nobody, { named }: Pick<TuiPorts, 'named'>): string {
  if (ended) return endNotice(ended).sentence
  if (current) return `The session of ${current.email} is over.`
  return named ? `${named.email} is not signed in here.` : 'Nobody is signed in here.'
}

/** Whether a person may administer: answered once as long as neither the session nor the roles change. */
export class Administration {
  #asked: { readonly about: string; readonly answer: Promise<boolean> } | undefined

  /** Where it is not to be had, nothing is offered; where nobody could say, it is asked again the next time. */
  isFor(api: TuiConnection['api'], { session, user }: SessionView): Promise<boolean> {
    const about = `${session.id} ${user.role?.join(',')}`
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

/** Whose all that is shown is: a person at a service, as themselves or as somebody else. Undefined: not known yet. */
export function ownerOf({ current, me }: Pick<AppState, 'current' | 'me'>): string | undefined {
  if (current) return `${current.origin} ${current.email} ${current.impersonating ?? ''}`
  return me === null ? 'nobody' : undefined
}

/** The value from before, where the new one says nothing else: what is painted from it stays as it is. */
export const same = <T>(before: T, after: T): T => (isDeepStrictEqual(before, after) ? before : after)
