import type { Browser } from '../flows/waiting.ts'
import { hasScreen, launcherOf } from './launcher.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The browser of this machine; `isAttended`: somebody sits at this terminal. Modules are loaded with their first use. */
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
