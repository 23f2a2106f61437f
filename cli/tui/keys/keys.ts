/** What a key asks for; the screen, or the shell around it, knows how. */
export type Intent =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'first'
  | 'last'
  | 'open'
  | 'back'
  | 'quit'
  | 'filter'
  | 'next-match'
  | 'previous-match'
  | 'mark'
  | 'actions'
  | 'copy-id'
  | 'copy-command'
  | 'refresh'
  | 'switch-account'
  | 'switch-organization'
  | 'read-only'
  | 'help'
  | 'palette'
  | 'create'
  | 'edit'
  | 'remove'
  | 'next-field'
  | 'previous-field'
  | 'submit'
  | 'cancel'
  | 'keep'
  | 'yes'
  | 'toggle'
  | 'next-option'
  | 'previous-option'
  | 'next-panel'
  | 'previous-panel'
  | 'role'
  | 'team'
  | ScreenIntent

type ScreenIntent = `screen-${NumberedScreen}`
export type NumberedScreen = 'home' | 'accounts' | 'sessions' | 'profile' | 'orgs' | 'requests'
/** The parts of an organization, in the order of their tabs. */
export const panels = ['members', 'invitations', 'teams', 'roles', 'settings'] as const
export type Panel = (typeof panels)[number]
export type ScreenName = NumberedScreen | 'session' | 'links' | 'request' | 'organization' | 'team' | 'form'
/** A form by what its keys do: one with options, one with a toggle, any other. */
export type FormScope = 'form' | 'choosing' | 'toggling'
export type OverlayName = 'help' | 'picker' | 'search' | 'confirm' | 'typed-confirm' | 'error' | 'offer' | 'waiting'

export interface Binding {
  readonly intent: Intent
  /** First the one that is shown. */
  readonly keys: readonly string[]
  readonly label: string
  /** Shown in the footer, not only in the help. */
  readonly inFooter?: boolean
}

const bind = (intent: Intent, keys: string, label: string, inFooter = false): Binding => ({
  intent,
  keys: keys.split(' '),
  label,
  inFooter,
})

/** Number key, name and title of the screens that have one. 6 is kept for administration. */
export const numberedScreens: readonly {
  readonly screen: NumberedScreen
  readonly key: string
  readonly title: string
}[] = [
  { screen: 'home', key: '1', title: 'Home' },
  { screen: 'accounts', key: '2', title: 'Accounts' },
  { screen: 'sessions', key: '3', title: 'Sessions' },
  { screen: 'profile', key: '4', title: 'Profile' },
  { screen: 'orgs', key: '5', title: 'Orgs' },
  { screen: 'requests', key: '7', title: 'Requests' },
]

/** The one table of keys: footer, help overlay, `postern help keys` and the tests are made from it. */
export const keyGroups = {
  move: [
    bind('up', 'up k', 'up'),
    bind('down', 'down j', 'move', true),
    bind('page-up', 'pageup', 'a page up'),
    bind('page-down', 'pagedown', 'a page down'),
    bind('first', 'g home', 'first'),
    bind('last', 'G end', 'last'),
    bind('open', 'enter l right', 'open', true),
  ],
  find: [
    bind('filter', '/', 'filter', true),
    bind('next-match', 'n', 'next match'),
    bind('previous-match', 'N', 'previous match'),
  ],
  selection: [
    bind('actions', 'x', 'actions', true),
    bind('copy-id', 'y', 'copy id'),
    bind('copy-command', 'C', 'copy as command'),
  ],
  marks: [bind('mark', 'space', 'mark', true)],
  account: [bind('remove', 'D', 'sign out', true), bind('create', 'c', 'sign up', true)],
  session: [bind('remove', 'D', 'revoke', true)],
  profile: [bind('edit', 'e', 'edit', true), bind('remove', 'D', 'delete account', true)],
  links: [bind('create', 'c', 'link one', true), bind('remove', 'D', 'remove', true)],
  orgs: [bind('create', 'c', 'create', true)],
  panels: [bind('next-panel', 'tab', 'next panel', true), bind('previous-panel', 'shift-tab', 'previous panel')],
  members: [
    bind('role', 'r', 'role', true),
    bind('team', 't', 'team', true),
    bind('remove', 'D', 'remove', true),
    bind('create', 'c', 'invite', true),
  ],
  invitations: [bind('create', 'c', 'invite', true), bind('remove', 'D', 'cancel', true)],
  teams: [bind('create', 'c', 'create', true), bind('edit', 'e', 'rename', true), bind('remove', 'D', 'delete', true)],
  team: [bind('create', 'c', 'add', true), bind('remove', 'D', 'take out', true)],
  settings: [bind('edit', 'e', 'edit', true), bind('remove', 'D', 'delete', true)],
  reload: [bind('refresh', 'R', 'refresh')],
  shell: [
    bind('switch-account', 'a', 'switch account'),
    bind('switch-organization', 'o', 'switch organization'),
    bind('read-only', '!', 'read-only'),
    ...numberedScreens.map(({ screen, key, title }) => bind(`screen-${screen}`, key, title)),
    bind('palette', ':', 'command', true),
    bind('help', '?', 'help', true),
    bind('back', 'esc h left', 'back'),
    bind('quit', 'q', 'quit/back', true),
  ],
  form: [
    bind('next-field', 'tab down', 'next field', true),
    bind('previous-field', 'shift-tab up', 'previous field'),
    bind('submit', 'enter', 'next, then send', true),
    bind('cancel', 'esc', 'cancel', true),
  ],
  options: [
    bind('next-option', 'right', 'next choice', true),
    bind('previous-option', 'left', 'previous choice'),
    bind('toggle', 'space', 'choose', true),
  ],
  switch: [bind('toggle', 'space', 'yes or no', true)],
  typing: [bind('keep', 'enter', 'keep the filter', true), bind('cancel', 'esc', 'clear it', true)],
  choice: [
    bind('up', 'up', 'up'),
    bind('down', 'down', 'move', true),
    bind('open', 'enter', 'choose', true),
    bind('cancel', 'esc', 'close', true),
  ],
  letters: [bind('up', 'k', 'up'), bind('down', 'j', 'down'), bind('cancel', 'q', 'close')],
  answer: [bind('yes', 'y', 'yes', true), bind('cancel', 'n esc q', 'no', true)],
  typed: [bind('submit', 'enter', 'do it', true), bind('cancel', 'esc', 'leave it', true)],
  reading: [
    bind('up', 'up k', 'up'),
    bind('down', 'down j', 'move', true),
    bind('cancel', 'esc q enter ?', 'close', true),
  ],
  waiting: [bind('copy-id', 'y', 'copy the address', true), bind('cancel', 'esc', 'cancel', true)],
  offered: [bind('open', 'enter', 'go there', true), bind('cancel', 'esc q', 'close', true)],
} as const satisfies Record<string, readonly Binding[]>

export type KeyGroup = keyof typeof keyGroups

const list: readonly KeyGroup[] = ['selection', 'move', 'find', 'reload', 'shell']
const scopes: Readonly<Record<ScreenName | Panel | OverlayName | FormScope | 'typing', readonly KeyGroup[]>> = {
  home: ['move', 'reload', 'shell'],
  accounts: ['account', 'selection', 'move', 'find', 'reload', 'shell'],
  sessions: ['session', 'marks', 'selection', 'move', 'find', 'reload', 'shell'],
  session: ['session', 'selection', 'shell'],
  profile: ['profile', 'selection', 'move', 'reload', 'shell'],
  links: ['links', 'selection', 'move', 'find', 'reload', 'shell'],
  requests: ['selection', 'move', 'find', 'shell'],
  request: ['selection', 'shell'],
  form: ['form'],
  choosing: ['options', 'form'],
  toggling: ['switch', 'form'],
  orgs: ['orgs', ...list],
  organization: ['panels', 'reload', 'shell'],
  members: ['members', 'panels', 'marks', ...list],
  invitations: ['invitations', 'panels', 'marks', ...list],
  teams: ['teams', 'panels', ...list],
  roles: ['panels', 'move', 'find', 'reload', 'shell'],
  settings: ['settings', 'panels', 'selection', 'move', 'reload', 'shell'],
  team: ['team', 'marks', ...list],
  typing: ['typing'],
  help: ['reading'],
  error: ['reading'],
  offer: ['offered'],
  waiting: ['waiting'],
  picker: ['choice', 'letters'],
  search: ['choice'],
  confirm: ['answer'],
  'typed-confirm': ['typed'],
}

export type KeyScope = keyof typeof scopes
export const keyScopes = Object.keys(scopes) as readonly KeyScope[]

/** The keys that work in a scope, its own first. */
export const bindingsOf = (scope: KeyScope): readonly Binding[] => scopes[scope].flatMap((group) => keyGroups[group])

export const findBinding = (scope: KeyScope, key: string): Binding | undefined =>
  bindingsOf(scope).find((binding) => binding.keys.includes(key))

const shown: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
}

/** A key as a person reads it. */
export const keyLabel = (key: string): string => shown[key] ?? key

/** The keys of a scope for its footer; moving is said once, for both directions. */
export const footerOf = (
  scope: KeyScope,
): readonly { readonly intent: Intent; readonly key: string; readonly label: string }[] =>
  bindingsOf(scope)
    .filter((binding) => binding.inFooter)
    .map(({ intent, keys, label }) => ({ intent, key: intent === 'down' ? '↑↓' : keyLabel(keys[0] ?? ''), label }))

/** The keys of a scope, a line each: what the help overlay lists. */
export const keyHelp = (scope: KeyScope): readonly { readonly keys: string; readonly label: string }[] => [
  ...bindingsOf(scope).map(({ keys, label }) => ({ keys: keys.map(keyLabel).join(' '), label })),
  { keys: 'key (label)', label: 'not now: the key says why' },
  { keys: 'ctrl+c', label: 'quit at once' },
]
