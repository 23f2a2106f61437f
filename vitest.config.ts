import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { slack } from './server/testing/slack.ts'

type Options = NonNullable<TestProjectInlineConfiguration['test']>

const inBrowser = '**/*.browser.test.ts'
/** These need bash, zsh and fish. */
const inShells = '**/*.shells.test.ts'
const elsewhere = [inBrowser, inShells]

/** Most code runs a few times in a test: what it takes to compile it for speed is not won back. Later versions lack the flag. */
const rarelyOptimized = process.versions.node.startsWith('20.') ? ['--interrupt-budget=400000'] : []

const project = (name: string, { exclude = [], env = {}, ...options }: Options) => ({
  // React as it is built in: its development build takes a third more, for what the built program never does.
  oxc: { jsx: { development: false } },
  test: {
    env: { NODE_ENV: 'production', ...env },
    name,
    exclude: ['**/node_modules/**', 'server/bench/**', ...exclude],
    setupFiles: ['server/testing/setup-file.ts'],
    pool: 'forks' as const,
    // More than cores: others wait for a process, a lock or a time limit.
    maxWorkers: 5,
    // Nearly all of a worker's garbage is young: with room for it, it is collected less often.
    execArgv: ['--max-semi-space-size=64', ...rarelyOptimized],
    // A worker loads the service once for all its files; a database and folders are each file's own all the same.
    isolate: false,
    // Four times what the slowest take. What takes longer says so in its own file, and why; hooks start services.
    testTimeout: 20_000 * slack,
    hookTimeout: 60_000 * slack,
    // A test that asserts nothing is none: a loop over nothing, a callback that is never called.
    expect: { requireAssertions: true, poll: { timeout: 5_000 * slack, interval: 20 } },
    ...options,
  },
})

// What these leave out is listed; all else is tried, and so is whatever is new.
// Every statement that those ask is asked by the tests that stay, too. Of what the service makes of odd input that is not enough.
const notOfPostgres = [
  'cli/**',
  'shared/**',
  'server/{crypto,embedded,http,limits,mail,pages,providers,request,settings}/**',
  // The embedded server, whatever other there is; and sockets or hashes alone.
  'server/system/faults/{killed,overload,slow-clients}.test.ts',
  'server/system/{secrets,social}/**',
  'server/system/wire/!(fuzz|wrong-input).test.ts',
]
// Not about sockets, streams, processes, terminals, files, addresses, letters or the built program.
const notOfNode = [
  'cli/{argv,settings}/**',
  'cli/commands/!(api|dev)/**',
  'cli/output/!(width).test.ts',
  // Journeys, the packed package and the program stay: no other way of starting it than theirs is in these.
  'cli/testing/{demo,known-device,linked-accounts,long-lists,mailed-journey}.test.ts',
  'cli/testing/{organization-document,organizations}.test.ts',
  'cli/tui/{components,screens}/**',
  'server/db/!(lost-connection|migrate|outage).test.ts',
  'server/{domain,pages}/**',
  // What a killed service leaves by halves is PostgreSQL's to prevent.
  'server/system/faults/{mail-kill,mailed-kill,organization-kill}.test.ts',
  'server/system/{races,secrets}/**',
  'server/system/wire/{answers,failures,openapi,organization-sentences,wishes}.test.ts',
]

/** Every test file that counts in rounds. */
const withRounds = () =>
  ['cli', 'server']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter((path) => readFileSync(path, 'utf8').includes('testing/rounds.ts'))

const manyRounds = {
  FUZZ_RUNS: '10000',
  IDENTITY_SECONDS: '600',
  KILL_ROUNDS: '200',
  LISTED_USERS: '100000',
  MIGRATION_ROUNDS: '50',
  RACE_ROUNDS: '1000',
  SWEPT_ROWS: '1000000',
  WHOLE_TABLES: 'on',
}

/** By `--mode`: all; what another PostgreSQL can change; what another Node can change; for hours, what comes out by chance. */
function mainIn(mode: string): Options {
  if (mode === 'postgres') return { exclude: [...elsewhere, ...notOfPostgres] }
  if (mode === 'node') return { exclude: [...elsewhere, ...notOfNode] }
  if (mode === 'long') return { include: withRounds(), env: manyRounds, testTimeout: 3_600_000 }
  return { exclude: elsewhere }
}

/** A browser, or a shell in a terminal, starts in each file. */
const slowly = { testTimeout: 60_000, hookTimeout: 60_000 }

const journeys = ['/cli/testing/', '/cli/tui/accessible/']

/** The largest files come first, which says little of a journey: the longest is told in a few lines, and ran alone at the end. */
class JourneysFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isJourney = ({ moduleId }: TestSpecification) => journeys.some((folder) => moduleId.includes(folder))
    const sorted = await super.sort(files)
    return [...sorted.filter(isJourney), ...sorted.filter((file) => !isJourney(file))]
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: JourneysFirst },
    globalSetup: ['server/testing/global-setup.ts'],
    projects: [
      project('main', { include: ['{cli,server,shared}/**/*.test.{ts,tsx}'], ...mainIn(mode) }),
      project('browser', { include: [inBrowser], ...slowly }),
      project('shells', { include: [inShells], ...slowly }),
    ],
  },
}))
