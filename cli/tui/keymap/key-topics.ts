import { keyLabel, mouseLines } from './key-text.ts'
import { type Binding, type KeyGroup, keyGroups } from './keymap.ts'

/** The sections of `postern help keys` and their key groups. */
export const keyTopics: readonly [title: string, groups: readonly KeyGroup[]][] = [
  ['Everywhere', ['shell', 'reload', 'always']],
  ['In a list', ['move', 'find', 'marks']],
  ['On the selected item', ['selection']],
  ['Home', ['home']],
  ['Accounts', ['account']],
  ['Sessions', ['session']],
  ['Profile', ['profile']],
  ['Linked accounts', ['links']],
  ['Organizations', ['orgs']],
  ['In an organization', ['panels']],
  ['Its members', ['members']],
  ['One member', ['member']],
  ['Its invitations', ['invitations']],
  ['Its teams', ['teams']],
  ['The members of a team', ['team']],
  ['Its keys for machines', ['keys', 'jobs']],
  ['One key', ['key']],
  ['CI jobs that sign in without a key', ['trusts']],
  ['Its settings', ['settings']],
  ['Admin', ['users']],
  ['One user', ['user']],
  ['The audit trail', ['trail']],
  ['In a form', ['form', 'switch', 'options']],
  ['While editing text', ['line']],
  ['While waiting for a browser', ['waiting']],
  ['A secret that is shown once', ['revealed']],
  ['A notice that another terminal impersonates', ['told']],
]

/** The text of `postern help keys`. */
export const keysHelp = (): string =>
  keyTopics
    .map(
      ([title, names]) =>
        `${title}\n${names
          .flatMap((name) => keyGroups[name])
          .map(helpLine)
          .join('\n')}`,
    )
    .join('\n\n')
    .concat(`\n\n${mouseHelp}`)
    .concat('\n\nAdmin opens only for users who may list users.')

const mouseHelp = [
  'With the mouse',
  ...mouseLines.map(([act, label]) => `  ${act.padEnd(14)}${label}`),
  '  Off: postern config set mouse off, or POSTERN_MOUSE=off',
].join('\n')

const helpLine = ({ keys, label }: Binding): string => `  ${keys.map(keyLabel).join(' ').padEnd(14)}${label}`
