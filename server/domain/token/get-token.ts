import type { Output } from '../../../shared/contract/call.ts'
import type { getToken as Call } from '../../../shared/contract/token.ts'
import type { Deps } from '../../deps.ts'
import type { ResolvedSession } from '../../request/client.ts'
import { signSessionToken } from './sign-token.ts'

/** A token for other services, with its whole life before it. */
export async function getToken(deps: Deps, resolved: ResolvedSession): Promise<Output<typeof Call>> {
  const { token } = await signSessionToken(deps, resolved)
  return { token }
}
