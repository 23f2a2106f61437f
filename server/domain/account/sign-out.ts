import type { signOut as Call } from '../../../shared/contract/account.ts'
import type { Output } from '../../../shared/contract/call.ts'
import { Failure } from '../../../shared/failure.ts'
import { digestOf } from '../../crypto/token.ts'
import { deleteSessionByHash } from '../../db/sessions.ts'
import type { Deps } from '../../deps.ts'
import type { Client } from '../../request/client.ts'

/** Ends the session of the token that came along; a session that is gone already is no failure. */
export async function signOut({ sql, revocations }: Deps, client: Client): Promise<Output<typeof Call>> {
  const { token } = client
  if (token === null) throw new Failure('NO_SESSION_TO_END')
  const ended = await deleteSessionByHash(sql, digestOf(token))
  if (ended) revocations.add([ended.id])
  client.note('sign-out-done', { userId: ended?.userId ?? null })
  return { success: true }
}
