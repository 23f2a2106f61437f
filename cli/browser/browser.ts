import type { Browser } from '../flows/waiting.ts'
import type { Environment } from '../settings/folders.ts'
import { checkedPage } from './page.ts'

/**
 * The browser of this machine. `isAttended` tells whether somebody sits at this terminal. Modules are loaded on first
 * use.
 */
export const browserOf = (env: Environment, isAttended: () => boolean): Browser => ({
  get isHere() {
    return isAttended() && hasScreen(process.platform, env)
  },
  open: async (url) => {
    const { launch } = await import('./launch.ts')
    return launch(launcherOf(process.platform, env, url))
  },
  awaitReturn: async () => {
    const { listenForReturn } = await import('./loopback.ts')
    return listenForReturn()
  },
})

/** Whether a browser started here would be visible to the user at the terminal. */
export function hasScreen(platform: NodeJS.Platform, env: Environment): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY'] || env['SSH_CLIENT']) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/**
 * The program that opens a page, and its arguments, which no shell interprets. BROWSER may list several programs, of
 * which the first is used. `%s` stands for the address, which is appended otherwise.
 */
export function launcherOf(
  platform: NodeJS.Platform,
  env: Environment,
  page: string,
): readonly [program: string, ...args: string[]] {
  const url = checkedPage(page).href
  const [program, ...args] = (env['BROWSER']?.split(platform === 'win32' ? ';' : ':')[0] ?? '')
    .split(' ')
    .filter(Boolean)
  if (program !== undefined)
    return args.some((word) => word.includes('%s'))
      ? [program, ...args.map((word) => word.replaceAll('%s', () => url))]
      : [program, ...args, url]
  if (platform === 'darwin') return ['open', url]
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler', url] : ['xdg-open', url]
}
