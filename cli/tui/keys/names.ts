import type { OpenScreen } from '../../flows/resource.ts'

export type NumberedScreen = 'home' | 'accounts' | 'sessions' | 'profile' | 'orgs' | 'admin' | 'requests'

/** Number key, name and title of the screens that have one, as an administrator has them. */
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

/** Those that are there for this person, their numbers without a hole. */
export const shownScreens = (isAdmin: boolean): typeof numberedScreens =>
  numberedScreens
    .filter(({ screen }) => isAdmin || screen !== 'admin')
    .map((shown, index) => ({ ...shown, key: String(index + 1) }))

/** What a key asks for, but for the screens with a number. */
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
  | 'stop-impersonating'
  | 'verify'
  | 'accept'
  | 'interrupt'
  | 'reveal'
  | 'other-server'
  | LineIntent

/** In a text that is typed. */
type LineIntent =
  | `line-${'left' | 'right' | 'start' | 'end'}`
  | `line-word-${'left' | 'right'}`
  | `erase-${'one' | 'word' | 'next-word' | 'rest' | 'line'}`

/** What a key asks for; the screen, or the shell around it, knows how. */
export type Intent = OwnIntent | ScreenIntent

type ScreenIntent = `screen-${NumberedScreen}`

/** The parts of an organization, in the order of their tabs. */
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

export type ScreenName = NumberedScreen | OpenScreen | 'links' | 'own-keys' | 'event' | 'request' | 'form'

/** A form by what its keys do: in a field with options, in a toggle, in any other. */
export type FormScope = 'form' | 'choosing' | 'toggling'

/** Where keys have a meaning of their own. */
export type KeyScope = ScreenName | Panel | OverlayName | FormScope | 'typing'

type AskingOverlay = 'picker' | 'search' | 'confirm' | 'typed-confirm'

type OverlayName = AskingOverlay | 'help' | 'error' | 'offer' | 'waiting' | 'secret'
