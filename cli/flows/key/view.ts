import type { Sheet } from '../listing.ts'
import { keyArgument, keyFields, keyNamed, keySheet, keyWords, type ListedKey, listedKey } from './keys.ts'

const fields = {
  key: {
    kind: 'text',
    label: 'Key',
    argument: '<key>',
    summary: keyArgument,
    key: 'keyId',
    complete: keyWords,
  },
} as const

export const keyView: Sheet<ListedKey, typeof fields> = {
  command: 'key view',
  summary: 'One key: what it may, how long it lives, when and from where it was used last',
  fields,
  call: '/key/view',
  answer: keyFields,
  columns: keySheet,
  examples: ['deploy', 'deploy --json=status,expiresAt'],
  view: async (ports, { key }) => listedKey(await keyNamed(ports, key), ports.now()),
}
