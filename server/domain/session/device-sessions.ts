import type { Input } from '../../../shared/contract/call.ts'
import type { setActiveSession as SetActiveCall } from '../../../shared/contract/session.ts'
import type { SessionView } from '../../../shared/entities.ts'
import { Failure } from '../../../shared/failure.ts'
import { isMachineKey } from '../../../shared/key-text.ts'
import type { Deps } from '../../deps.ts'
import type { Client, ResolvedSession } from '../../request/client.ts'
import { resolveSession } from './resolve.ts'
import { revokeSession } from './sessions.ts'

// The sessions of several accounts in one browser. Whoever holds a session's cookie may use it, and nobody else.

type Named = Input<typeof SetActiveCall>

/** The live sessions of a browser, and the tokens of those that ended. */
interface DeviceSessions {
  readonly live: readonly ResolvedSession[]
  readonly ended: readonly string[]
}

async function findDeviceSessions(deps: Deps, client: Client): Promise<DeviceSessions> {
  const { token, keptTokens, isForgetful } = client
  const active = token === null || isMachineKey(token) ? [] : [token]
  const tokens = [...new Set([...keptTokens, ...active])]
  const isImported = (one: string) => client.isImported && !keptTokens.includes(one)
  const optionsFor = (one: string) => ({
    mayExtend: false,
    client: { isOutdated: false, isImported: isImported(one), isForgetful },
  })
  const found = await Promise.all(tokens.map((one) => resolveSession(deps, one, optionsFor(one))))
  return {
    live: found.filter((one) => one !== null).filter(isOwn),
    ended: tokens.filter((_, index) => found[index] === null),
  }
}

/** An impersonation is never one of several: it ends by returning to the administrator. */
const isOwn = ({ caller: { session, key } }: ResolvedSession): boolean =>
  session.impersonatedBy === null && key === null

/** Others than the active one show a handle in place of their token, so that a page of one account cannot take them. */
export async function listDeviceSessions(
  deps: Deps,
  client: Client,
): Promise<{ readonly answer: readonly SessionView[]; readonly ended: readonly string[] }> {
  const { live, ended } = await findDeviceSessions(deps, client)
  const answer = live.map(({ caller: { session, user } }) => ({
    session: { ...session, token: session.token === client.token ? session.token : session.id },
    user,
  }))
  return { answer, ended }
}

/** The session of this browser that becomes active. */
export async function setActiveSession(deps: Deps, client: Client, named: Named): Promise<ResolvedSession> {
  const { live } = await findDeviceSessions(deps, client)
  return requireNamed(live, named)
}

function requireNamed(live: readonly ResolvedSession[], { sessionToken }: Named): ResolvedSession {
  const found = live.find(({ caller: { session } }) => session.token === sessionToken || session.id === sessionToken)
  if (!found) throw new Failure('INVALID_SESSION_TOKEN')
  return found
}

interface RevokedDeviceSession {
  readonly token: string
  /**
   * The session that becomes active instead. Null when the browser keeps no other; undefined when another one ended.
   */
  readonly next: ResolvedSession | null | undefined
}

export async function revokeDeviceSession(deps: Deps, client: Client, named: Named): Promise<RevokedDeviceSession> {
  const { live } = await findDeviceSessions(deps, client)
  const { caller } = requireNamed(live, named)
  const { token } = caller.session
  await revokeSession(deps, client, caller, { token })
  const next = live.find((other) => other.caller.session.token !== token) ?? null
  return { token, next: token === client.token ? next : undefined }
}
