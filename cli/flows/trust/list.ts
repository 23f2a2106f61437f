import type { Listing } from '../listing.ts'
import { type ListedTrust, listedTrust, trustColumns, trustFields, trustsOf } from './trusts.ts'

export const trustList: Listing<ListedTrust> = {
  command: 'key trust list',
  summary: 'The CI jobs that sign in to the organization by an id token of their provider',
  fields: {},
  call: '/key/trust/list',
  answer: trustFields,
  columns: trustColumns,
  empty: 'No trust rules',
  examples: ['', '--org acme --json=name,issuer,claims'],
  list: async (ports) => (await trustsOf(ports)).map(listedTrust),
}
