import type { Listing } from '../listing.ts'
import { keyColumns, keyFields, type ListedKey, listedKey, organizationKeys } from './keys.ts'

const fields = {
  mine: { kind: 'toggle', label: 'My own', flag: '--mine', summary: 'those that act as the signed-in user' },
} as const

export const keyList: Listing<ListedKey, typeof fields> = {
  command: 'key list',
  summary: 'The keys for machines of the organization; without one, those of the signed-in user',
  fields,
  call: '/key/list',
  answer: keyFields,
  columns: keyColumns,
  empty: ({ mine }) => (mine ? 'No keys of your own' : 'No keys'),
  examples: ['', '--mine', '--org acme --json=name,status,expiresAt,lastUsedAt'],
  list: async (ports, { mine }) => {
    const { api } = await ports.signedIn()
    const keys = (mine ? undefined : await organizationKeys(ports)) ?? (await api.key.listKeys({}))
    return keys.map((key) => listedKey(key, ports.now()))
  },
}
