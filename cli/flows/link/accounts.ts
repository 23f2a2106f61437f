import type { Output } from '../../../shared/contract/call.ts'
import type { listAccounts } from '../../../shared/contract/social.ts'
import { nameOfProvider } from '../../../shared/providers.ts'
import { type Naming, pickOne } from '../candidates.ts'
import type { Subject } from '../flow.ts'
import type { Listing } from '../listing.ts'
import type { Ports } from '../ports.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

/** One way in which the signed-in person signs in: at a provider, or by a password. */
export type LinkedAccount = Output<typeof listAccounts>[number]

/** What the service calls the account that a password belongs to. */
const passwordProvider = 'credential'
export const isPassword = ({ provider }: Pick<LinkedAccount, 'provider'>): boolean => provider === passwordProvider

/** `Google`, or `Password`. */
export const nameOf = ({ provider }: Pick<LinkedAccount, 'provider'>): string =>
  provider === passwordProvider ? 'Password' : nameOfProvider(provider)

/** `Google 1234`: the provider's own id tells two of one provider apart. */
export const labelOf = (account: LinkedAccount): string =>
  isPassword(account) ? 'the password' : `${nameOf(account)} ${account.accountId}`

export const linkedAccountFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  provider: { title: 'Provider', type: 'text', value: nameOf },
  accountId: {
    title: 'Account',
    type: 'text',
    value: (account) => (isPassword(account) ? null : account.accountId),
  },
  scopes: { title: 'Scopes', type: 'list', inList: ({ scopes }) => scopes.join(' ') },
  createdAt: { title: 'Since', type: 'date' },
  updatedAt: { title: 'Updated', type: 'date' },
} as const satisfies FieldsOf<LinkedAccount, LinkedAccount>

export const linkList: Listing<LinkedAccount> = {
  command: 'account link list',
  summary: 'The accounts by which the signed-in user signs in: at providers, and the password',
  fields: {},
  call: '/list-accounts',
  answer: linkedAccountFields,
  columns: columnsOf<LinkedAccount>(linkedAccountFields, ['provider', 'accountId', 'createdAt', 'scopes', 'id']),
  empty: 'No linked accounts',
  examples: ['', '--json=provider,accountId'],
  list: linkedAccountsOf,
}

async function linkedAccountsOf(ports: Ports): Promise<readonly LinkedAccount[]> {
  const { api } = await ports.signedIn()
  return api.social.listAccounts()
}

const naming: Naming<LinkedAccount> = {
  kind: 'linked account',
  ids: ({ id }) => [id],
  ways: [
    (account, word) => word === wholeWord(account),
    (account, word) => [account.provider, nameOf(account).toLowerCase()].includes(word.toLowerCase()),
  ],
  describe: (account) => `${wholeWord(account)}  ${nameOf(account)}`,
  list: 'See them: postern account link list',
}

const wholeWord = ({ provider, accountId }: LinkedAccount): string => `${provider}:${accountId}`

/** Whom the service is told; a password needs no id beside it. */
const wordOf = (account: LinkedAccount): string => (isPassword(account) ? 'password' : wholeWord(account))

export const oneLinkedAccount: Subject<LinkedAccount> = {
  argument: '<provider>',
  summary: 'google, or google:ACCOUNT_ID where several are linked; password is one too',
  key: 'providerId',
  finder: async (ports) => {
    const accounts = await linkedAccountsOf(ports)
    return (word = '') => pickOne(accounts, word, naming)
  },
  words: (account) => ({ word: wordOf(account) }),
  complete: async (ports) => completed(await linkedAccountsOf(ports)),
}

/** The shortest words that name each. */
const completed = (accounts: readonly LinkedAccount[]): readonly string[] =>
  accounts.map((account) => {
    const isOnly = accounts.filter(({ provider }) => provider === account.provider).length === 1
    return isOnly && !isPassword(account) ? account.provider : wordOf(account)
  })
