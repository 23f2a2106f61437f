import type { SessionView } from '../../../shared/entities.ts'
import type { StoredAccount } from '../../accounts/accounts.ts'
import type { SeenRequest } from '../../client/connection.ts'
import type { TuiPorts } from '../ports.ts'
import type { ShownError } from '../text/shown-error.ts'
import type { Ended } from './app-state.ts'

export interface LostSession {
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
