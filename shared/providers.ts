/** The identity providers that we know by name, with the name that people read. Any other OpenID provider has a name of its own. */
export const providerNames = {
  apple: 'Apple',
  discord: 'Discord',
  facebook: 'Facebook',
  github: 'GitHub',
  microsoft: 'Microsoft',
  google: 'Google',
  spotify: 'Spotify',
  twitch: 'Twitch',
  twitter: 'X',
  dropbox: 'Dropbox',
  kick: 'Kick',
  linkedin: 'LinkedIn',
  gitlab: 'GitLab',
  tiktok: 'TikTok',
  reddit: 'Reddit',
  roblox: 'Roblox',
  vk: 'VK',
  zoom: 'Zoom',
} as const satisfies Record<string, string>

export type ProviderId = keyof typeof providerNames
export const providerIds = Object.keys(providerNames) as readonly ProviderId[]

/** The name that people read, for any id that a list of accounts may hold. */
export const nameOfProvider = (id: string): string =>
  Object.hasOwn(providerNames, id) ? providerNames[id as ProviderId] : `${id.charAt(0).toUpperCase()}${id.slice(1)}`
