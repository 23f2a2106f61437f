import { v7 as uuid } from 'uuid'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { setPassword as Call } from '../../../shared/contract/password.ts'
import { Failure } from '../../../shared/failure.ts'
import { findNamed, setPassword as write } from '../../db/passwords.ts'
import { tellWhenKept } from '../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Client } from '../../request/client.ts'
import { checkPassword } from '../account/password-rules.ts'

/** For trusted servers: gives a first password to the named user, or to the one whose session came along. */
export async function setPassword(
  { config, sql, passwords }: Deps,
  client: Client,
  caller: Caller | null,
  { newPassword, userId = caller?.user.id }: Input<typeof Call>,
): Promise<Output<typeof Call>> {
  checkPassword(config, newPassword)
  const user = userId === undefined ? null : await findNamed(sql, userId)
  if (!user) throw new Failure('USER_NOT_FOUND')
  checkPassword(config, newPassword, [user.email, user.name])
  const password = await passwords.hash(newPassword)
  const { outcome } = await tellWhenKept(
    (act) => {
      const event = client.event(act, 'password-set', { userId: user.id })
      return write(sql, { userId: user.id, accountId: uuid(), password, event })
    },
    (done) => done.outcome === 'done',
  )
  if (outcome !== 'done') throw new Failure(outcome === 'no-user' ? 'USER_NOT_FOUND' : 'PASSWORD_ALREADY_SET')
  return { status: true }
}
