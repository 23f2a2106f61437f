import { afterEach, beforeEach } from 'vitest'
import type { Environment } from '../../../server/config.ts'
import { useStarted } from '../../../server/testing/use-service.ts'
import { type OwnService, startOwnService } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { type RenderOptions, renderTui, type Screen } from './render.tsx'

/** A service for a test file, emptied before each test, and the screens that a test opens on it. */
export const useScreens = (settings: Environment = {}) => useScreensOf(() => startOwnService(settings))

/** Like `useScreens`, for a service with extras such as a provider. */
export function useScreensOf<Own extends OwnService>(start: () => Promise<Own>) {
  const own = useStarted(start)
  let opened: Screen[] = []
  beforeEach(() => own.empty())
  afterEach(() => {
    for (const screen of opened) screen.close()
    opened = []
  })
  return {
    own,
    get service() {
      return own.service
    },
    get sql() {
      return own.service.deps.sql
    },
    /** Opens the terminal UI of a machine. From then on, the service records its requests. */
    open: (machine: Runner, options?: RenderOptions): Screen => {
      own.asked.splice(0)
      const screen = renderTui(machine, options)
      opened.push(screen)
      return screen
    },
    /** The writing requests since a screen was opened. */
    writes: () => own.asked.filter((call) => call.startsWith('POST') && !call.endsWith('/has-permission')),
  }
}

export type Screens = ReturnType<typeof useScreens>
