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
