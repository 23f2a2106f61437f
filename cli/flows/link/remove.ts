import type { Flow } from '../flow.ts'
import { type LinkedAccount, labelOf, linkedAccountFields, oneLinkedAccount } from './accounts.ts'

/** All the ways in which the person signs in. */
export type LinkedAccounts = readonly LinkedAccount[]

export const removeLink: Flow<LinkedAccount, Readonly<Record<never, never>>, LinkedAccounts, LinkedAccount> = {
  command: 'account link remove',
  summary: 'Take a linked account away, so that nobody signs in by it; the sign-in has to be a recent one',
  title: 'Remove',
  writes: true,
  needsSession: true,
  subject: oneLinkedAccount,
  fields: {},
  call: '/unlink-account',
  answer: linkedAccountFields,
  examples: ['google', 'github:583231 --yes'],
  consent: {
    question: ([account]) => `Remove ${account ? labelOf(account) : 'it'}? Nobody signs in to you by it any more.`,
  },
  disabledReason: (_, view) => (view?.length === 1 ? 'It is the only way in which you sign in' : undefined),
  run: async (ports, account) => {
    const { api } = await ports.signedIn()
    await api.social.unlinkAccount({ providerId: account.provider, accountId: account.accountId })
    return { sentence: `Removed ${labelOf(account)}`, status: 'deleted', resource: account }
  },
}
