/** The built-in identity providers, with their display names. Any other OpenID provider has its own name. */
const providerNames = {
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

/** The display name for any provider id in a list of accounts. */
export const providerDisplayName = (id: string): string =>
  Object.hasOwn(providerNames, id) ? providerNames[id as ProviderId] : `${id.charAt(0).toUpperCase()}${id.slice(1)}`
