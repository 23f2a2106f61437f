import type { OpenScreen } from '../../flows/resource.ts'

export type NumberedScreen = 'home' | 'accounts' | 'sessions' | 'profile' | 'orgs' | 'admin' | 'requests'

/** Screens with a number key, the same for every user. */
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
  { screen: 'admin', key: '6', title: 'Admin' },
  { screen: 'requests', key: '7', title: 'Requests' },
]

/** Why the user cannot open a numbered screen, which keeps its number all the same. */
export const screenReason = (screen: NumberedScreen, isAdmin: boolean | undefined): string | undefined =>
  screen === 'admin' && isAdmin === false ? 'only for users who may list users' : undefined

/** The intents of keys, except those of the numbered screens. */
type OwnIntent =
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
  | 'mark-range'
  | 'mark-all'
  | 'mark-others'
  | 'sort'
  | 'turn-sort'
  | 'actions'
  | 'copy-id'
  | 'copy-command'
  | 'refresh'
  | 'switch-account'
  | 'switch-organization'
  | 'undo'
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
  | 'follow'
  | 'trusts'
  | 'trail'
  | 'webhooks'
  | 'pause'
  | 'test'
  | 'stop-impersonating'
  | 'verify'
  | 'accept'
  | 'interrupt'
  | 'suspend'
  | 'reveal'
  | 'other-server'
  | LineIntent

/** Intents while a line of text is edited. */
type LineIntent =
  | `line-${'left' | 'right' | 'start' | 'end'}`
  | `line-word-${'left' | 'right'}`
  | `erase-${'one' | 'word' | 'next-word' | 'rest' | 'line'}`

/** What a key asks for. The screen or the shell around it carries it out. */
export type Intent = OwnIntent | `screen-${NumberedScreen}`

/** The panels of an organization, in the order of their tabs. */
export const panels = ['members', 'invitations', 'teams', 'roles', 'keys', 'settings'] as const

export type Panel = (typeof panels)[number]

export const panelTitles: Readonly<Record<Panel, string>> = {
  members: 'Members',
  invitations: 'Invitations',
  teams: 'Teams',
  roles: 'Roles',
  keys: 'Keys',
  settings: 'Settings',
}

export type ScreenName = NumberedScreen | OpenScreen | 'links' | 'own-keys' | 'request' | 'form'

/** The scope of a form's keys: in a field with options, in a toggle, or in any other field. */
export type FormScope = 'form' | 'choosing' | 'toggling'

/** The contexts in which keys have a meaning of their own. */
export type KeyScope = ScreenName | Panel | OverlayName | FormScope | 'typing'

type AskingOverlay = 'picker' | 'search' | 'confirm' | 'typed-confirm'

type OverlayName = AskingOverlay | 'help' | 'error' | 'offer' | 'waiting' | 'secret' | 'takeover'
