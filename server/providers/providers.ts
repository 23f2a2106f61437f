import { apple } from './apple.ts'
import { discord } from './discord.ts'
import { dropbox } from './dropbox.ts'
import { facebook } from './facebook.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { google } from './google.ts'
import { kick } from './kick.ts'
import { linkedin } from './linkedin.ts'
import { microsoft } from './microsoft.ts'
import type { Provider } from './provider.ts'
import { reddit } from './reddit.ts'
import { roblox } from './roblox.ts'
import { spotify } from './spotify.ts'
import { tiktok } from './tiktok.ts'
import { twitch } from './twitch.ts'
import { twitter } from './twitter.ts'
import { vk } from './vk.ts'
import { zoom } from './zoom.ts'

/** Every provider that settings can turn on. A new one needs one file and one line here. */
export const providers: readonly Provider[] = [
  apple,
  discord,
  dropbox,
  facebook,
  github,
  gitlab,
  google,
  kick,
  linkedin,
  microsoft,
  reddit,
  roblox,
  spotify,
  tiktok,
  twitch,
  twitter,
  vk,
  zoom,
]
