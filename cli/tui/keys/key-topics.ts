import { type Binding, type KeyGroup, keyGroups, keyLabel } from './keys.ts'

const topics: readonly [title: string, groups: readonly KeyGroup[]][] = [
  ['Everywhere', ['shell', 'reload']],
  ['In a list', ['move', 'find', 'marks']],
  ['On what is selected', ['selection']],
  ['Accounts', ['account']],
  ['Sessions', ['session']],
  ['Profile', ['profile']],
  ['Linked accounts', ['links']],
  ['Organizations', ['orgs']],
  ['In an organization', ['panels']],
  ['Its members', ['members']],
  ['Its invitations', ['invitations']],
  ['Its teams', ['teams']],
  ['The members of a team', ['team']],
  ['Its settings', ['settings']],
  ['In a form', ['form', 'switch', 'options']],
  ['While a browser is waited for', ['waiting']],
]

/** The text of `postern help keys`. */
export const keysHelp = (): string =>
  topics
    .map(
      ([title, names]) =>
        `${title}\n${names
          .flatMap((name) => keyGroups[name])
          .map(helpLine)
          .join('\n')}`,
    )
    .join('\n\n')

const helpLine = ({ keys, label }: Binding): string => `  ${keys.map(keyLabel).join(' ').padEnd(14)}${label}`
