import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

const tests = '{cli,server,shared}/**/*.test.{ts,tsx}'
const inBrowser = '**/*.browser.test.ts'

/** What neither another PostgreSQL nor another Node can change. */
const plain = [
  'shared/**',
  'cli/{argv,commands,flows,output,settings}/**',
  'cli/tui/{components,screens}/**',
  'server/pages/**',
  'server/system/{secrets,wire}/**',
]
/** What another PostgreSQL can change. */
const database = ['server/{db,domain}/**', 'server/system/races/**']
/** What another Node can change: sockets, streams, processes, terminals, files, the built program. */
const platform = ['cli/**', 'server/{crypto,embedded,http,mail}/**']

const common: TestProjectInlineConfiguration['test'] = {
  setupFiles: ['server/testing/setup-file.ts'],
  pool: 'forks',
  maxWorkers: 2,
  // A worker loads the service once for all its files; databases and folders are each file's own all the same.
  isolate: false,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What is waited for may be the start of a process on a busy machine.
  expect: { poll: { timeout: 30_000, interval: 20 } },
}

const project = (name: string, include: string[], exclude: string[] = []) => ({
  test: { ...common, name, include, exclude: ['**/node_modules/**', 'server/bench/**', ...exclude] },
})

const testsIn = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`)

const usual = [
  project('plain', testsIn(plain), [inBrowser]),
  project('database', testsIn(database), [inBrowser]),
  project('platform', testsIn(platform), [inBrowser, ...plain]),
  // A file in a room that no list above names is tried everywhere, so that none is forgotten.
  project('everywhere', [tests], [inBrowser, ...plain, ...database, ...platform]),
  project('browser', [inBrowser]),
]

/** `--mode long`: many more rounds of whatever has rounds. */
function long() {
  const { test } = project('long', ['cli', 'server'].flatMap(testsWithRounds))
  const env = {
    FUZZ_RUNS: '10000',
    IDENTITY_SECONDS: '600',
    KILL_ROUNDS: '200',
    MIGRATION_ROUNDS: '50',
    RACE_ROUNDS: '1000',
  }
  return [{ test: { ...test, env, testTimeout: 3_600_000 } }]
}

const testsWithRounds = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter((path) => readFileSync(path, 'utf8').includes('testing/rounds.ts'))

/** All runs share one server; a test file has a database of its own. */
export default defineConfig(({ mode }) => ({
  test: { globalSetup: ['server/testing/global-setup.ts'], projects: mode === 'long' ? long() : usual },
}))
