/** The built-in identity providers, with their display names. */
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

/** The name as people read it of any provider: `acme-corp`, which OIDC_ACME_CORP_… turns on, is Acme Corp. */
export const providerDisplayName = (id: string): string =>
  Object.hasOwn(providerNames, id)
    ? providerNames[id as ProviderId]
    : id
        .split('-')
        .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
        .join(' ')
