import type { Output } from '../../../shared/contract/call.ts'
import type { listAccounts } from '../../../shared/contract/social.ts'
import { providerDisplayName } from '../../../shared/providers.ts'
import { usageError } from '../../output/cli-error.ts'
import type { FieldType } from '../../output/json.ts'
import { type Naming, pickOne } from '../candidates.ts'
import { commandWith } from '../command-line.ts'
import type { Flow, NoFields, Subject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing } from '../listing.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

/** A way for the signed-in user to sign in: a provider account or a password. */
export type LinkedAccount = Omit<Output<typeof listAccounts>[number], 'providerId' | 'userId'>

/** The service's provider id for the password. */
export const passwordProvider = 'credential'
const isPassword = ({ provider }: Pick<LinkedAccount, 'provider'>): boolean => provider === passwordProvider

/** The provider's name, or `Password`. */
export const nameOf = ({ provider }: Pick<LinkedAccount, 'provider'>): string =>
  provider === passwordProvider ? 'Password' : providerDisplayName(provider)

/** `Google 1234`: the provider's account id distinguishes two accounts at one provider. */
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
  summary: 'The ways in which the signed-in user can sign in: provider accounts and the password',
  fields: {},
  call: '/list-accounts',
  answer: linkedAccountFields,
  columns: columnsOf<LinkedAccount>(linkedAccountFields, ['provider', 'accountId', 'createdAt', 'scopes', 'id']),
  empty: 'No linked accounts',
  examples: ['', '--json=provider,accountId'],
  list: linkedAccountsOf,
}

async function linkedAccountsOf(context: FlowContext): Promise<readonly LinkedAccount[]> {
  const { api } = await context.signedIn()
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

/** How the service identifies it; a password needs no id. */
const wordOf = (account: LinkedAccount): string => (isPassword(account) ? 'password' : wholeWord(account))

const linkedAccountSubject: Subject<LinkedAccount> = {
  argument: '<provider>',
  summary: 'google, google:ACCOUNT_ID if several are linked, or password',
  key: 'providerId',
  finder: async (context) => {
    const accounts = await linkedAccountsOf(context)
    return (word = '') => pickOne(accounts, word, naming)
  },
  words: (account) => ({ word: wordOf(account) }),
  complete: async (context) => completed(await linkedAccountsOf(context)),
}

/** The shortest unique words for each. */
const completed = (accounts: readonly LinkedAccount[]): readonly string[] =>
  accounts.map((account) => {
    const isOnly = accounts.filter(({ provider }) => provider === account.provider).length === 1
    return isOnly && !isPassword(account) ? account.provider : wordOf(account)
  })

/** Contains no tokens: they stay at the service, and `postern api` can request them. */
interface RefreshedAccount {
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
} as const satisfies Record<keyof RefreshedAccount, FieldType>

const noTokens = 'A password has no provider tokens'

export const refreshLink: Flow<LinkedAccount, NoFields, unknown, RefreshedAccount> = {
  command: 'account link refresh',
  summary: 'Refresh the provider tokens of a linked account',
  title: 'Refresh its tokens',
  subject: linkedAccountSubject,
  fields: {},
  call: '/refresh-token',
  answer: refreshedFields,
  examples: ['google', 'google --json=accessTokenExpiresAt'],
  disabledReason: ([account]) => (account && isPassword(account) ? noTokens : undefined),
  run: async (context, account) => {
    if (isPassword(account)) throw usageError(noTokens, `See the others: ${commandWith(linkList)}`)
    const { id, provider, accountId } = account
    const { api } = await context.signedIn()
    // This call identifies an account by its row.
    const { scopes, accessTokenExpiresAt = null } = await api.social.refreshToken({
      providerId: provider,
      accountId: id,
    })
    const resource = { id, provider, accountId, scopes, accessTokenExpiresAt }
    return { sentence: `Refreshed the tokens of ${labelOf(account)}`, status: 'updated', resource }
  },
}

/** All ways for the user to sign in. */
export const removeLink: Flow<LinkedAccount, NoFields, readonly LinkedAccount[], LinkedAccount> = {
  command: 'account link remove',
  summary: 'Remove a linked account as a way to sign in; needs a recent sign-in',
  title: 'Remove',
  subject: linkedAccountSubject,
  fields: {},
  call: '/unlink-account',
  answer: linkedAccountFields,
  examples: ['google', 'github:583231 --yes'],
  consent: {
    question: ([account]) =>
      `Remove ${account ? labelOf(account) : 'it'}? It can no longer be used to sign in to your account.`,
  },
  disabledReason: (_, view) => (view?.length === 1 ? 'It is your only way to sign in' : undefined),
  run: async (context, account) => {
    const { api } = await context.signedIn()
    await api.social.unlinkAccount({ providerId: account.provider, accountId: account.accountId })
    return { sentence: `Removed ${labelOf(account)}`, status: 'deleted', resource: account }
  },
}
