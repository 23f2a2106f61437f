import type { SessionView } from '../../../shared/entities.ts'
import type { ListedOrganization, Organization } from '../../../shared/organization.ts'
import { type AccountAt, isSameAccount, type StoredAccount } from '../../accounts/accounts.ts'
import { onlyOne } from '../../flows/org/organizations.ts'
import type { TuiConnection } from '../ports.ts'
import type { ShownError } from '../text/shown-error.ts'
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
