import type { FullUser, Session } from '../../shared/entities.ts'
import { commandLine } from './commands.ts'
import { type Desk, isSameAccount } from './desk.ts'
import type { Connection, StoredAccount } from './seam.ts'

/** Something a person does to one or several things, described once for the screen, the menus and the accessible front. */
export interface Act<T> {
  readonly label: string
  /** Refused in read-only mode. */
  readonly isWrite: boolean
  /** Why there is nothing to do now. */
  readonly refusal?: (desk: Desk) => string | undefined
  /** The command that does the same. */
  readonly command: (targets: readonly T[]) => string
  /** Asked before it is done; none: it is harmless. */
  readonly question?: (targets: readonly T[]) => string
  /** The word to be typed for an act that cannot be taken back; none: a key is enough. */
  readonly word?: (desk: Desk, targets: readonly T[]) => string | undefined
  readonly run: (desk: Desk, targets: readonly T[]) => Promise<void>
  readonly done: (targets: readonly T[]) => string
}

export const revokeSessions: Act<Session> = {
  label: 'Revoke',
  isWrite: true,
  command: (sessions) => commandLine('postern', 'session', 'revoke', ...sessions.map(({ id }) => id)),
  question: (sessions) => `Revoke ${sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`}?`,
  run: async (desk, sessions) => {
    const { api } = connectionOf(desk)
    for (const { token } of sessions) await api.session.revokeSession({ token })
  },
  done: ({ length }) => (length === 1 ? 'Revoked the session' : `Revoked ${length} sessions`),
}

export const revokeOthers: Act<Session> = {
  label: 'Revoke all others',
  isWrite: true,
  command: () => commandLine('postern', 'session', 'revoke', '--others'),
  question: () => 'Revoke all sessions but this one?',
  run: async (desk) => {
    await connectionOf(desk).api.session.revokeOtherSessions({})
  },
  done: () => 'Revoked all other sessions',
}

export const revokeAll: Act<Session> = {
  label: 'Revoke all, this one too',
  isWrite: true,
  command: () => commandLine('postern', 'session', 'revoke', '--all'),
  question: () => 'Revoke all sessions? You will be signed out here and everywhere.',
  word: (desk) => desk.state.current?.email ?? 'all',
  run: async (desk) => {
    await connectionOf(desk).api.session.revokeSessions({})
  },
  done: () => 'Revoked all sessions: you are signed out',
}

export const signOut: Act<StoredAccount> = {
  label: 'Sign out',
  isWrite: true,
  command: ([account]) => commandLine('postern', 'sign-out', ...(account ? ['--account', account.email] : [])),
  question: ([account]) => `Sign ${account?.email ?? 'this account'} out on this machine?`,
  run: async (desk, accounts) => {
    for (const account of accounts) {
      const { api } = await clientOf(desk, account)
      // The session may be over already; then there is only our own jar to drop.
      if (await api.session.getSession()) await api.account.signOut({})
      await desk.seam.forget(account)
    }
  },
  done: ([account]) => `Signed ${account?.email ?? 'the account'} out`,
}

export const switchAccount: Act<StoredAccount> = {
  label: 'Switch to this account',
  isWrite: false,
  command: ([account]) => commandLine('postern', 'auth', 'switch', account?.email ?? ''),
  run: async (desk, [account]) => {
    if (account) await desk.switchTo(account.origin, account.email)
  },
  done: ([account]) => `Now acting as ${account?.email ?? 'this account'}`,
}

/** The mail goes to the own address, whatever is given. */
export const sendVerification: Act<FullUser> = {
  label: 'Mail a link to verify the address',
  isWrite: true,
  refusal: ({ state }) => (state.me?.user.emailVerified ? 'the address is verified already' : undefined),
  command: () => commandLine('postern', 'account', 'email', 'verify', '--send'),
  run: async (desk, users) => {
    const { api } = connectionOf(desk)
    for (const { email } of users) await api.email.sendVerificationEmail({ email })
  },
  done: ([user]) => `A mail with a link is on its way to ${user?.email ?? 'you'}`,
}

export const readOnlyRefusal = 'read-only mode is on'

/** Why this cannot be done now, before anything is asked or sent. */
export const refusalOf = (
  act: Pick<Act<never>, 'isWrite' | 'refusal'>,
  isReadOnly: boolean,
  desk?: Desk,
): string | undefined => (act.isWrite && isReadOnly ? readOnlyRefusal : desk && act.refusal?.(desk))

/** The connection of who is signed in. */
export function connectionOf({ state }: Desk): Connection {
  if (!state.connection) throw new Error('Nobody is signed in. Sign in first: press 2.')
  return state.connection
}

/** The connection of a stored account: the present one, if it is theirs. */
export async function clientOf(desk: Desk, account: StoredAccount): Promise<Connection> {
  const { current, connection } = desk.state
  return connection && current && isSameAccount(current, account) ? connection : desk.connectAs(account)
}
