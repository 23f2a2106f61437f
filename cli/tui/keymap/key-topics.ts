import { keySettingPrefix } from '../../settings/config-file.ts'
import { keyLabel, mouseLines } from './key-text.ts'
import { type Binding, type KeyGroup, type Keymap } from './keymap.ts'
import { changeableActions, type KeyChanges, keyForms, keymapWith } from './remap.ts'

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
  ['Its roles', ['roles', 'role']],
  ['Its keys for machines', ['keys', 'jobs']],
  ['One key', ['key']],
  ['CI jobs that sign in without a key', ['trusts']],
  ['Its settings', ['settings']],
  ['Webhooks', ['webhooks', 'webhook']],
  ['Admin', ['users']],
  ['One user', ['user']],
  ['The audit trail', ['trail']],
  ['In a form', ['form', 'switch', 'options']],
  ['While editing text', ['line']],
  ['While waiting for a browser', ['waiting']],
  ['A secret that is shown once', ['revealed']],
  ['A notice that another terminal impersonates', ['told']],
]

/** The text of `postern help keys`, with the keys of the config file. */
export function keysHelp(changes: () => KeyChanges = () => ({})): string {
  const { keymap, problem } = keysOrBuiltIn(changes)
  return [
    ...(problem === undefined ? [] : [`These are the built-in keys: ${problem}`]),
    ...keyTopics.map(([title, names]) => [title, ...names.flatMap((name) => keymap[name]).map(helpLine)].join('\n')),
    mouseHelp,
    changeHelp,
    'Admin opens only for users who may list users.',
  ].join('\n\n')
}

/** A wrong setting does not take away the page that tells what is right. */
function keysOrBuiltIn(changes: () => KeyChanges): { readonly keymap: Keymap; readonly problem?: string } {
  try {
    return { keymap: keymapWith(changes()) }
  } catch (error) {
    return { keymap: keymapWith({}), problem: (error as Error).message }
  }
}

const mouseHelp = [
  'With the mouse',
  ...mouseLines.map(([act, label]) => `  ${act.padEnd(14)}${label}`),
  '  Off: postern config set mouse off, or POSTERN_MOUSE=off',
].join('\n')

const changeHelp = `Other keys
  postern config set ${keySettingPrefix}ACTION 'KEY…', such as ${keySettingPrefix}palette 'ctrl-p :'
  ${keyForms}
  Numbers and the keys of forms and questions stay as they are.
  Actions: ${changeableActions.join(', ')}`

const helpLine = ({ intent, keys, label }: Binding): string =>
  `  ${keys.map(keyLabel).join(' ').padEnd(14)}${label}${intent === 'quit' ? '; back on all but a first screen' : ''}`
