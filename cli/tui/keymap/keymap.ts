import { users } from '../../flows/admin/resource.ts'
import { invitations } from '../../flows/invitation/resource.ts'
import { keys, ownKeys } from '../../flows/key/resource.ts'
import { links } from '../../flows/link/resource.ts'
import { members } from '../../flows/member/resource.ts'
import { organizationSettings, organizations } from '../../flows/org/resource.ts'
import type { Act, Resource } from '../../flows/resource.ts'
import { roles } from '../../flows/role/resource.ts'
import { sessions } from '../../flows/session/resource.ts'
import { teamMembers, teams } from '../../flows/team/resource.ts'
import { trusts } from '../../flows/trust/resource.ts'
import { webhooks } from '../../flows/webhook/resource.ts'
import { lineEdits, type TypedLine } from '../../output/typed-line.ts'
import { type Intent, type KeyScope, numberedScreens } from './names.ts'

export interface Binding {
  readonly intent: Intent
  /** The first key is the one shown. */
  readonly keys: readonly string[]
  readonly label: string
  /** Shown in the footer too, not only in the help. */
  readonly inFooter?: boolean
}

const bind = (intent: Intent, keys: string, label: string, inFooter = false): Binding => ({
  intent,
  keys: keys.split(' '),
  label,
  inFooter,
})

/** The keys of a resource's actions. */
const actionBindings = (acts: readonly Pick<Act<never, never>, 'key'>[]): readonly Binding[] =>
  acts.flatMap(({ key }) => (key ? [bind(key[1], key[0], key[2], true)] : []))

/** The keys of the actions on one item, and of those on the list itself. */
const itemBindings = <T extends object, V>({ acts }: Resource<T, V>) =>
  actionBindings(acts.filter(({ about }) => about !== 'place'))
const listBindings = <T extends object, V>({ acts }: Resource<T, V>) =>
  actionBindings(acts.filter(({ about }) => about === 'place'))

const motions: readonly Binding[] = [
  bind('up', 'up k', 'up'),
  bind('down', 'down j', 'down', true),
  bind('page-up', 'pageup ctrl-u', 'a page up'),
  bind('page-down', 'pagedown ctrl-d', 'a page down'),
  bind('first', 'g home', 'first'),
  bind('last', 'G end', 'last'),
]

/** The built-in keys. With those of the config file, the only source for footers, menus, help and tests. */
export const keyGroups = {
  move: [...motions, bind('open', 'enter l right', 'open', true)],
  find: [
    bind('filter', '/', 'filter', true),
    bind('next-match', 'n', 'next match'),
    bind('previous-match', 'N', 'previous match'),
    bind('sort', 's', 'sort by next column'),
    bind('turn-sort', 'S', 'reverse the order'),
  ],
  selection: [
    bind('actions', 'x', 'actions', true),
    bind('copy-id', 'y', 'copy id'),
    bind('copy-command', 'C', 'copy as command'),
  ],
  marks: [
    bind('mark', 'space', 'mark', true),
    bind('mark-range', 'v', 'begin or end a range of marks'),
    bind('mark-others', '*', 'invert the marks'),
    bind('mark-all', 'A', 'mark all or none'),
  ],
  home: [bind('verify', 'v', 'verify the address'), bind('accept', 'i', 'accept an invitation')],
  account: [bind('remove', 'D', 'sign out', true), bind('create', 'c', 'sign up', true)],
  session: actionBindings(sessions.acts),
  profile: [bind('edit', 'e', 'edit', true), bind('remove', 'D', 'delete account', true)],
  users: listBindings(users),
  user: itemBindings(users),
  trail: [bind('follow', 'f', 'follow or stop', true)],
  links: actionBindings(links.acts),
  orgs: actionBindings(organizations.acts),
  panels: [bind('next-panel', 'tab', 'next panel', true), bind('previous-panel', 'shift-tab', 'previous panel')],
  members: actionBindings(members.acts),
  member: itemBindings(members),
  invitations: actionBindings(invitations.acts),
  teams: actionBindings(teams.acts),
  roles: listBindings(roles),
  role: itemBindings(roles),
  team: actionBindings(teamMembers.acts),
  keys: actionBindings(ownKeys.acts),
  jobs: actionBindings(keys.acts).filter(({ intent }) => intent === 'trusts'),
  key: itemBindings(keys),
  trusts: actionBindings(trusts.acts),
  webhooks: listBindings(webhooks),
  webhook: itemBindings(webhooks),
  settings: actionBindings(organizationSettings.acts),
  reload: [bind('refresh', 'R', 'refresh')],
  shell: [
    bind('switch-account', 'a', 'switch account'),
    bind('switch-organization', 'o', 'switch organization'),
    bind('undo', 'u', 'undo the last change'),
    bind('read-only', '!', 'read-only'),
    bind('stop-impersonating', 'I', 'stop impersonating'),
    ...numberedScreens.map(({ screen, key, title }) => bind(`screen-${screen}`, key, title)),
    bind('palette', ':', 'command', true),
    bind('help', '?', 'help', true),
    bind('back', 'esc h left', 'back', true),
    bind('quit', 'q', 'quit', true),
  ],
  form: [
    bind('next-field', 'tab down', 'next field', true),
    bind('previous-field', 'shift-tab up', 'previous field'),
    bind('submit', 'enter', 'next, or send', true),
    bind('reveal', 'ctrl-r', 'show or hide secrets', true),
    bind('other-server', 'ctrl-o', 'another server', true),
    bind('cancel', 'esc', 'cancel', true),
  ],
  options: [
    bind('next-option', 'right', 'next choice', true),
    bind('previous-option', 'left', 'previous choice'),
    bind('toggle', 'space', 'choose', true),
  ],
  switch: [bind('toggle', 'space', 'yes or no', true)],
  line: [
    bind('line-left', 'left', 'a character back'),
    bind('line-right', 'right', 'a character forward'),
    bind('line-word-left', 'alt-b', 'a word back'),
    bind('line-word-right', 'alt-f', 'a word forward'),
    bind('line-start', 'ctrl-a home', 'start of the text'),
    bind('line-end', 'ctrl-e end', 'end of the text'),
    bind('erase-one', 'backspace', 'delete a character'),
    bind('erase-word', 'ctrl-w', 'delete a word'),
    bind('erase-next-word', 'alt-d', 'delete the next word'),
    bind('erase-rest', 'ctrl-k', 'delete to the end'),
    bind('erase-line', 'ctrl-u', 'delete the line'),
  ],
  typing: [bind('keep', 'enter', 'keep the filter', true), bind('cancel', 'esc', 'clear it', true)],
  choice: [
    bind('up', 'up', 'up'),
    bind('down', 'down', 'down', true),
    bind('page-up', 'pageup', 'a page up'),
    bind('page-down', 'pagedown', 'a page down'),
    bind('open', 'enter', 'choose', true),
    bind('cancel', 'esc', 'close', true),
  ],
  letters: [bind('up', 'k', 'up'), bind('down', 'j', 'down'), bind('cancel', 'q', 'close')],
  answer: [bind('yes', 'y', 'yes', true), bind('cancel', 'n esc q', 'no', true)],
  typed: [bind('submit', 'enter', 'do it', true), bind('cancel', 'esc', 'cancel', true)],
  scrolling: motions,
  reading: [bind('cancel', 'esc q enter ?', 'close', true)],
  narrowing: [bind('filter', '/', 'filter', true)],
  waiting: [bind('copy-id', 'y', 'copy the address', true), bind('cancel', 'esc', 'cancel', true)],
  revealed: [bind('copy-id', 'y', 'copy it', true), bind('cancel', 'esc', 'close', true)],
  // A key that nobody types into a text or a list.
  told: [bind('cancel', 'esc', 'go on', true)],
  // Handled by the terminal before any screen.
  always: [bind('interrupt', 'ctrl-c', 'quit at once'), bind('suspend', 'ctrl-z', 'suspend; fg returns')],
  offered: [bind('open', 'enter', 'go there', true), bind('cancel', 'esc q', 'close', true)],
} as const satisfies Record<string, readonly Binding[]>

export type KeyGroup = keyof typeof keyGroups

export const groupNames = Object.keys(keyGroups) as readonly KeyGroup[]

/** All keys as they are: the built-in ones, or those of the config file. */
export type Keymap = Readonly<Record<KeyGroup, readonly Binding[]>>

const list: readonly KeyGroup[] = ['selection', 'move', 'find', 'reload', 'shell']
const item: readonly KeyGroup[] = ['selection', 'move', 'reload', 'shell']
const scopes: Readonly<Record<KeyScope, readonly KeyGroup[]>> = {
  home: ['home', 'move', 'reload', 'shell'],
  accounts: ['account', ...list],
  sessions: ['session', 'marks', ...list],
  session: ['session', ...item],
  profile: ['profile', ...item],
  links: ['links', ...list],
  admin: ['users', ...list],
  user: ['user', ...item],
  'user-sessions': ['session', 'marks', ...list],
  mails: ['marks', ...list],
  trail: ['trail', ...list],
  event: ['selection', 'scrolling', 'shell'],
  requests: ['selection', 'move', 'find', 'shell'],
  request: ['selection', 'scrolling', 'shell'],
  form: ['form'],
  choosing: ['options', 'form'],
  toggling: ['switch', 'form'],
  orgs: ['orgs', ...list],
  organization: ['panels', 'reload', 'shell'],
  members: ['members', 'panels', 'marks', ...list],
  invitations: ['invitations', 'panels', 'marks', ...list],
  teams: ['teams', 'panels', ...list],
  roles: ['roles', 'role', 'panels', 'marks', ...list],
  keys: ['keys', 'jobs', 'panels', 'marks', ...list],
  'own-keys': ['keys', 'marks', ...list],
  key: ['key', ...item],
  trusts: ['trusts', ...list],
  webhooks: ['webhooks', 'webhook', 'marks', ...list],
  webhook: ['webhook', ...item],
  settings: ['settings', 'panels', ...item],
  team: ['team', 'marks', ...list],
  unseen: ['members', 'marks', ...list],
  member: ['member', ...item],
  role: ['role', ...item],
  typing: ['typing'],
  help: ['scrolling', 'reading', 'narrowing'],
  error: ['scrolling', 'reading'],
  offer: ['scrolling', 'offered'],
  waiting: ['waiting'],
  secret: ['revealed'],
  takeover: ['told'],
  picker: ['choice', 'letters'],
  search: ['choice'],
  confirm: ['answer'],
  'typed-confirm': ['typed'],
}

export const keyScopes = Object.keys(scopes) as readonly KeyScope[]

/** The key groups of a scope, its own first. */
export const groupsOf = (scope: KeyScope): readonly KeyGroup[] => scopes[scope]

export const scopeHasGroup = (scope: KeyScope, group: KeyGroup): boolean => scopes[scope].includes(group)

/** The keys of a scope, its own first. */
export const bindingsOf = (keymap: Keymap, scope: KeyScope): readonly Binding[] =>
  scopes[scope].flatMap((group) => keymap[group])

export const findBinding = (keymap: Keymap, scope: KeyScope, key: string): Binding | undefined =>
  bindingsOf(keymap, scope).find((binding) => binding.keys.includes(key))

/** Whether the scope takes typed text, so no single letter is a key. */
export const isTextScope = (scope: KeyScope): boolean =>
  bindingsOf(keyGroups, scope).every(({ keys }) => keys.every((key) => key.length > 1))

/** What a key that edits a line of text means. */
export const intentInLine = (key: string): Intent | undefined =>
  keyGroups.line.find(({ keys }) => keys.includes(key))?.intent

const edits: Partial<Readonly<Record<Intent, (line: TypedLine) => TypedLine>>> = lineEdits

/** Undefined when that does not edit a line. */
export const edited = (line: TypedLine, intent: Intent): TypedLine | undefined => edits[intent]?.(line)
