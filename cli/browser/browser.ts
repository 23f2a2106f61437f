import type { Browser } from '../flows/waiting.ts'
import type { Environment } from '../process/host.ts'
import { validatePageUrl } from './page.ts'

/**
 * The browser of this machine. `isAttended` tells whether somebody sits at this terminal. Modules are loaded on first
 * use.
 */
export const createBrowser = (env: Environment, isAttended: () => boolean): Browser => ({
  get isHere() {
    return isAttended() && hasDisplay(process.platform, env)
  },
  open: async (url) => {
    const { launch } = await import('./launch.ts')
    return launch(launchCommandFor(process.platform, env, url))
  },
  awaitReturn: async () => {
    const { listenForRedirect } = await import('./loopback.ts')
    return listenForRedirect()
  },
})

/** Whether a browser started here would be visible to the user at the terminal. */
export function hasDisplay(platform: NodeJS.Platform, env: Environment): boolean {
  if (env['SSH_CONNECTION'] || env['SSH_TTY'] || env['SSH_CLIENT']) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/**
 * The program that opens a page, and its arguments, which no shell interprets. BROWSER may list several programs, of
 * which the first is used. `%s` stands for the address, which is appended otherwise.
 */
export function launchCommandFor(
  platform: NodeJS.Platform,
  env: Environment,
  page: string,
): readonly [program: string, ...args: string[]] {
  const url = validatePageUrl(page).href
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
