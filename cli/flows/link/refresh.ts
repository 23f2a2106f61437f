import { usageError } from '../../output/cli-error.ts'
import type { FieldType } from '../../output/json.ts'
import { commandWith } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { isPassword, type LinkedAccount, labelOf, linkList, oneLinkedAccount } from './accounts.ts'

/** The tokens themselves stay at the service: who needs one asks for it by `postern api`. */
interface Refreshed {
  readonly id: string
  readonly provider: string
  readonly accountId: string
  readonly scopes: readonly string[]
  readonly accessTokenExpiresAt: Date | null
}

const refreshedFields = {
  id: 'text',
  provider: 'text',
  accountId: 'text',
  scopes: 'list',
  accessTokenExpiresAt: 'date?',
} as const satisfies Record<keyof Refreshed, FieldType>

const noTokens = 'A password has no tokens of a provider'

export const refreshLink: Flow<LinkedAccount, Readonly<Record<never, never>>, unknown, Refreshed> = {
  command: 'account link refresh',
  summary: 'Have the service get new tokens of a linked account from its provider',
  title: 'Refresh its tokens',
  writes: true,
  needsSession: true,
  subject: oneLinkedAccount,
  fields: {},
  call: '/refresh-token',
  answer: refreshedFields,
  examples: ['google', 'google --json=accessTokenExpiresAt'],
  disabledReason: ([account]) => (account && isPassword(account) ? noTokens : undefined),
  run: async (ports, account) => {
    if (isPassword(account)) throw usageError(noTokens, `See the others: ${commandWith(linkList)}`)
    const { id, provider, accountId } = account
    const { api } = await ports.signedIn()
    // This call names an account by its row.
    const { scopes, accessTokenExpiresAt = null } = await api.social.refreshToken({
      providerId: provider,
      accountId: id,
    })
    const resource = { id, provider, accountId, scopes, accessTokenExpiresAt }
    return { sentence: `Refreshed the tokens of ${labelOf(account)}`, status: 'updated', resource }
  },
}
