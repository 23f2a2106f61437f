import type { Listing } from '../listing.ts'
import { type LinkedAccount, linkedAccountColumns, linkedAccountFields, linkedAccountsOf } from './accounts.ts'

export const linkList: Listing<LinkedAccount> = {
  command: 'account link list',
  summary: 'The accounts by which the signed-in user signs in: at providers, and the password',
  fields: {},
  call: '/list-accounts',
  answer: linkedAccountFields,
  columns: linkedAccountColumns,
  empty: 'No linked accounts',
  examples: ['', '--json=provider,accountId'],
  list: linkedAccountsOf,
}
