import { afterAll, beforeAll } from 'vitest'
import type { Environment } from '../config.ts'
import { cloneDatabase } from './database.ts'
import { createTestService, type TestParts, type TestService } from './service.ts'
import { type Listening, listenTo } from './wire.ts'

/**
 * What a test file has for all its tests, as a constant: it is made in a `beforeAll`, and its members are there once later
 * hooks and tests run. They are copied, so it has to be a plain object whose members stay.
 */
export function useMade<Made extends object>(make: () => Promise<Made>): Made {
  const made = {} as Made
  beforeAll(async () => {
    Object.assign(made, await make())
  })
  return made
}

/** The same for what is stopped after all tests: what was started last is the first to be stopped. */
export function useStarted<Started extends { stop(): unknown }>(start: () => Promise<Started>): Started {
  const started = useMade(start)
  // There is nothing to stop when it did not start, and the others are to be stopped all the same.
  afterAll(() => started.stop?.())
  return started
}

/** A database of the test file's own. */
export const useDatabase = () =>
  useStarted(async () => {
    const { database, drop } = await cloneDatabase()
    return { database, stop: drop }
  })

/** A service of the test file's own. Settings that something else has to be there for are given by a function. */
export const useTestService = (settings: Environment | (() => Environment) = {}, parts?: TestParts): TestService =>
  useStarted(() => createTestService(typeof settings === 'function' ? settings() : settings, parts))

/** A service behind a real socket, on any free port unless one is given. */
export const useWire = (service: TestService, port?: number): Listening => useStarted(() => listenTo(service, port))
