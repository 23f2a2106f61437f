import type { Input, Output } from '../../../shared/contract/call.ts'
import type * as calls from '../../../shared/contract/social.ts'
import { Failure } from '../../../shared/failure.ts'
import { providerDisplayName } from '../../../shared/providers.ts'
import { deleteAccount, findAccountKey, listUserAccounts, type StoredAccount } from '../../db/accounts.ts'
import { inLastTrip } from '../../db/connect.ts'
import { transactionWithEvents } from '../../db/transaction.ts'
import { lockUser } from '../../db/user-sessions.ts'
import type { Deps } from '../../deps.ts'
import { passwordAlone } from '../../mail/outbox.ts'
import type { Caller, Client } from '../../request/client.ts'
import { createAlert } from '../mails.ts'

/** Removes an account, which may be the password. The last one that signs in only where the settings allow it. */
export async function unlinkAccount(
  deps: Deps,
  client: Client,
  { user, isFresh, provenAddress }: Caller,
  asked: Input<typeof calls.unlinkAccount>,
): Promise<Output<typeof calls.unlinkAccount>> {
  if (!isFresh) throw new Failure('SESSION_NOT_FRESH')
  const { providerId, accountId } =
    asked.providerId === undefined
      ? await requireAccountKey(deps, user.id, asked.accountId)
      : { providerId: asked.providerId, accountId: asked.accountId }
  const unlinking = {
    userId: user.id,
    providerId,
    accountId: accountId ?? null,
    mayBeLast: deps.config.ALLOW_UNLINKING_ALL,
    usable: [
      ...deps.providers.all().map(({ provider }) => provider.id),
      ...(deps.config.EMAIL_PASSWORD ? ['credential'] : []),
    ],
    isProven: provenAddress !== null,
    notice: createAlert(deps, {
      kind: 'account-unlinked',
      to: user.email,
      provider: providerId === 'credential' ? passwordAlone : providerDisplayName(providerId),
    }),
  }
  await transactionWithEvents(deps.sql, client.requireRoom(null, 'account-unlinked'), async (tx) => {
    const event = client.event(tx, 'account-unlinked', { userId: user.id, provider: providerId })
    const [, { outcome }] = await inLastTrip(
      tx,
      (sql) => lockUser(sql, user.id),
      (sql) => deleteAccount(sql, { ...unlinking, event }),
    )
    if (outcome !== 'done') throw new Failure(outcome === 'last' ? 'LAST_ACCOUNT' : 'ACCOUNT_NOT_FOUND')
  })
  deps.outbox.nudge()
  return { status: true }
}

/** What identifies the account at its provider, by its row id. */
export async function requireAccountKey({ sql }: Deps, userId: string, id = '') {
  const key = await findAccountKey(sql, userId, id)
  if (!key) throw new Failure('ACCOUNT_NOT_FOUND')
  return key
}

export const scopesOf = (scope: string | null): string[] => (scope ?? '').split(',').filter(Boolean)

/** The account as shown to its owner, without tokens. */
export const accountView = ({ scope, ...account }: StoredAccount) => ({ ...account, scopes: scopesOf(scope) })

/** Lists the password and the providers' accounts. */
export async function listAccounts({ sql }: Deps, { user }: Caller): Promise<Output<typeof calls.listAccounts>> {
  const accounts = await listUserAccounts(sql, user.id)
  return accounts.map(accountView)
}
