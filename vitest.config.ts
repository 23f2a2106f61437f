import { readFileSync } from 'node:fs'
import { globSync } from 'tinyglobby'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { turn, turns } from './server/testing/rounds.ts'
import { slack } from './server/testing/slack.ts'

type Options = NonNullable<TestProjectInlineConfiguration['test']>

const inBrowser = '**/*.browser.test.ts'
/** These need bash, zsh and fish. */
const inShells = '**/*.shells.test.ts'
/** These start a cluster of Debian's PostgreSQL, Patroni, etcd, PgBouncer and HAProxy. */
const inCluster = '**/*.ha.test.ts'
/** These need nginx, Caddy, Prometheus, systemd and openssl of Debian. */
const ofSamples = '**/*.deploy.test.ts'
/** These build an image on a base made of Debian's packages, by buildah and debootstrap, for minutes. */
const ofImage = '**/*.image.test.ts'
/** These cause each alert of `deploy` in running services that Debian's Prometheus watches, for minutes. */
const ofAlerts = '**/*.alerts.test.ts'
const inOtherProjects = [inBrowser, inShells, inCluster, ofSamples, ofImage, ofAlerts]

/**
 * System tests: they drive the built program, terminals, several processes, kills, faults, other programs and what these
 * stored, or whole tasks of people on the command line and in the terminal UI. Each of these files takes seconds of a
 * processor. Whatever is not listed runs in `npm test`, and so does one of each kind: each command, the screens of an
 * account and its organizations, the program, an organization of two people in two terminals, a conversation in lines, a
 * screen in a terminal, and kills of the service and of its PostgreSQL.
 */
export const ofSystem = [
  'cli/client/{jar/jar,lock}.test.ts',
  'cli/{commands/dev/mail,extensions/extensions,output/jq-writer,update/notice}.test.ts',
  'cli/commands/{invitation/wait,org/document-roles,org/document-settings,org/hostile,sign-in-hostile,sign-in-hostile-answers}.test.ts',
  'cli/testing/{acceptance,administration,audit,backup,bench,bootstrap,browser-sign-in,bulk,bulk-csv,burst}.test.ts',
  'cli/testing/{demo,impersonation,journey,known-device,linked-accounts,load,long-lists,lying-server}.test.ts',
  'cli/testing/{machine-sign-in,mailed-commands,mailed-journey,moving,moving-better-auth,organization-document}.test.ts',
  'cli/testing/{newer-terms,organizations,own-fields,own-fields-asked,package,printed-curl}.test.ts',
  'cli/testing/{simulation,start-up,terminal-closed,unwritable-folders,watch}.test.ts',
  'cli/testing/{config-keeps-open,tui-journey,tui-mailed-journey,tui-memory}.test.ts',
  'cli/testing/docs/sample-types.test.ts',
  'cli/testing/pictures/**/*.test.ts',
  'cli/tui/accessible/!(organizations).test.ts',
  'cli/tui/{exact-requests,jump,living,other-account,undo}.test.tsx',
  'cli/tui/screens/{admin,keys,webhooks}/**',
  'cli/tui/screens/{late-answers,links,lists,mail-accounts,many-members,organization-panels,own-fields}.test.tsx',
  'cli/tui/screens/{reading-on,several-members,smallest-window,split-pane}.test.tsx',
  'cli/tui/{search/typed-search,state/takeover-notice}.test.ts',
  'cli/tui/terminal/!(keyboard|strokes).test.ts',
  'server/crypto/{argon2-hash,stored-hash/stored-hash}.test.ts',
  'server/db/{build-index,migrate,moving/insert-rows,plans,raw-rows,shared-trips,together}.test.ts',
  'server/domain/{admin/impersonation-ends,account/erasure-in-rounds,audit/plans}.test.ts',
  'server/domain/{device/device-limits,social/accounts,social/identities,social/user-info-override,withheld-mails}.test.ts',
  'server/domain/moving/{hostile,better-auth/**/*}.test.ts',
  'server/embedded/**/*.test.ts',
  'server/providers/hostile.test.ts',
  'server/process/{backup,log,metrics,restored-database,serve,start,start-mail,sweeper}.test.ts',
  'server/system/faults/!(failed-commit|greedy|killed).test.ts',
  'server/system/races/{identity,processes}.test.ts',
  'server/system/secrets/{imported-sessions,security-events,token-matrix,trail-secrets}.test.ts',
  'server/system/social/{every-provider,hostile-provider,proven-address,real-provider}.test.ts',
  'server/system/wire/{failures,newest-client,openapi-tools,reference-client,texts}.test.ts',
  'server/webhooks/{receivers,shared-work,test-message}.test.ts',
  'server/workers/work*.test.ts',
]

/**
 * System tests that no run leaves out. The others are more ways, more providers, more screens and odder input for what
 * these and the tests of each part show too: with `TEST_TURN` (0 to 5) a run does a sixth of them.
 */
export const ofEachTurn = [
  'cli/client/{jar/jar,lock}.test.ts',
  'cli/testing/{acceptance,organizations,package,start-up}.test.ts',
  'cli/tui/{accessible/accessible,terminal/terminal}.test.ts',
  'server/crypto/**/*.test.ts',
  'server/db/{migrate,plans,shared-trips,together}.test.ts',
  'server/domain/{account,admin,audit}/**/!(erasure-in-rounds).test.ts',
  'server/domain/moving/better-auth/better-auth.test.ts',
  'server/domain/social/*.test.ts',
  'server/embedded/start.test.ts',
  'server/process/{backup,serve,start,sweeper}.test.ts',
  'server/system/faults/{killed-sender,outage}.test.ts',
  'server/system/{races,secrets}/**/*.test.ts',
  'server/system/social/{hostile,real}-provider.test.ts',
  'server/system/wire/{failures,texts}.test.ts',
  'server/workers/workers.test.ts',
]

/** What a cluster, a proxy, a shell or a browser shows beside those that no run leaves out: these take turns as system tests do. */
const alsoInTurns = [
  'cli/testing/{docs/application,provider}.browser.test.ts',
  'cli/completion/completion.shells.test.ts',
  'server/pages/{device-social,error,landing,reference}.browser.test.ts',
  'server/system/deploy/rolling.deploy.test.ts',
  'server/system/ha/{may-promote,replica-faults,shared-limits}.ha.test.ts',
  'server/system/wire/one-tap-client.browser.test.ts',
]

/** The tests that are another run's turn. */
export function ofOtherTurns(own = turn): string[] {
  if (!own) return []
  const inTurns = globSync([...ofSystem, ...alsoInTurns], { ignore: ofEachTurn })
  return inTurns.toSorted().filter((_, index) => index % turns !== Number(own))
}

/**
 * Most code runs only a few times in a test, so optimizing it takes longer than it saves. Later versions lack the flag.
 */
const rarelyOptimized = process.versions.node.startsWith('20.') ? ['--interrupt-budget=400000'] : []

const project = (name: string, { exclude = [], env = {}, ...options }: Options) => ({
  // The production build of React, as in the built program: the development build takes a third longer.
  oxc: { jsx: { development: false } },
  test: {
    env: { NODE_ENV: 'production', ...env },
    name,
    exclude: ['**/node_modules/**', 'server/bench/**', ...exclude],
    setupFiles: ['server/testing/setup-file.ts', 'cli/testing/setup-file.ts'],
    pool: 'forks' as const,
    // More workers than cores, because many tests wait for a process, a lock or a timeout.
    maxWorkers: 4,
    // Nearly all garbage of a worker is young. With more room for it, it is collected less often.
    execArgv: ['--max-semi-space-size=64', ...rarelyOptimized],
    // A worker loads the service once for all its test files. Each file still has its own database and folders.
    isolate: false,
    // Four times the slowest usual test. A slower one raises the limit in its own file and says why. Hooks start
    // services.
    testTimeout: 20_000 * slack,
    hookTimeout: 60_000 * slack,
    // Fails tests without assertions, such as a loop over an empty list or a callback that is never called.
    expect: { requireAssertions: true, poll: { timeout: 5_000 * slack, interval: 20 } },
    ...options,
  },
})

/** Large tables of who may do what: each environment runs other rows. */
const tables = 'permission-matrix|permission-table|resend-roles|roles|while-impersonating'

// Each mode lists the tests that it leaves out; all others run, new ones included. The remaining tests also run every
// statement of those left out. For odd input that would not be enough, so the tests of odd input remain.
export const notOfPostgres = [
  'cli/**',
  'shared/**',
  'server/{crypto,embedded,http,limits,mail,pages,providers,request,settings}/**',
  // They use the embedded server in any case, or are about sockets, processes, memory or hashes.
  'server/workers/**',
  'server/{config,config-rules,db/together,testing/test-lists}.test.ts',
  'server/process/{listen,log,metrics,serve,start,start-mail}.test.ts',
  'server/system/faults/{burst,killed,overload,slow-clients,unexpected}.test.ts',
  'server/system/races/identity.test.ts',
  // Each call and each text of a statement runs in `server/system/wire`; races, tables of rights and large data remain.
  'server/domain/!(limits-race).test.ts',
  `server/domain/!(audit|moving)/!(*races|erasure-in-rounds|${tables}).test.ts`,
  'server/webhooks/{receivers,shared-work,test-message}.test.ts',
  // What a killed service leaves is decided by COMMIT; `server/system/faults/killed-sender.test.ts` remains.
  'server/system/faults/{mail-kill,mailed-kill,organization-kill}.test.ts',
  // Connections that are cut at each place: PostgreSQL answers nothing there.
  'server/system/faults/database-faults.test.ts',
  // The same statements as in each release, while `server/db/migrate.test.ts` migrates.
  'server/system/faults/rolling.test.ts',
  // Files, and what another service did before; the other tests of moving write the same rows.
  'server/domain/moving/hostile.test.ts',
  'server/domain/moving/better-auth/{leftovers,proof,second-run}.test.ts',
  'server/system/deploy/**',
  'server/system/{secrets,social}/**',
  'server/system/wire/!(answers|fuzz|texts).test.ts',
]
// They do not involve sockets, streams, processes, terminals, files, addresses, character sets or the built program.
export const notOfNode = [
  'cli/{argv,settings}/**',
  'cli/commands/!(api)/**',
  'cli/output/!(width).test.ts',
  // Children, their signals and one more question over HTTP: the program, the workers and the client's own tests remain.
  'cli/{extensions,update}/**',
  // Journeys, the packed package and the program remain: these use no other way to start it.
  'cli/testing/{demo,known-device,linked-accounts,long-lists,lying-server,mailed-journey,moving-better-auth}.test.ts',
  'cli/testing/docs/**',
  'cli/testing/{administration,audit,bulk-csv,dry-run,impersonation,journey,machine-sign-in,moving,no-home}.test.ts',
  'cli/testing/{organization-document,organizations,printed-curl,unwritable-folders}.test.ts',
  'cli/testing/{acceptance,backup,bootstrap,bulk,burst,mailed-commands,own-fields,own-fields-asked,simulation,watch}.test.ts',
  // Which modules the program loads, what it is measured with, and one more of its ways to sign in.
  'cli/testing/{bench,browser-sign-in,load,start-up,tui-memory}.test.ts',
  'cli/{flows,tui/components,tui/screens,tui/state}/**',
  'cli/tui/{*.test.tsx,search/**}',
  // The same terminal, opened in the same way as by conversations; its keys, clicks and pastes remain.
  'cli/testing/{pictures/**/*,tui-journey,tui-mailed-journey,tui-organization-journey}.test.ts',
  'cli/tui/accessible/!(accessible).test.ts',
  'cli/tui/terminal/!(keyboard|strokes).test.ts',
  'server/db/{!(lost-connection|outage).test.ts,moving/**}',
  'server/{outbox,pages}/**',
  `server/domain/**/!(${tables}).test.ts`,
  'server/{config,config-rules,testing/test-lists,limits/memory-rate-limiter,webhooks/receivers,webhooks/shared-work}.test.ts',
  // What PostgreSQL's own programs leave when they are killed, or several start them; the program starts and ends them.
  'server/embedded/{data-dir,engine,recovery,start}.test.ts',
  // Rows, files and lines; the program's own tests start and stop it in each way.
  'server/process/{backup,log,metrics,restored-database,start,start-mail,sweeper}.test.ts',
  // Files that are read; the other tests of workers start, end and replace them.
  'server/workers/worker-settings.test.ts',
  // PostgreSQL keeps a killed service from leaving work half done, and the queues before it are counted in one process.
  'server/system/faults/{burst,database-faults,failed-commit,killed,killed-sender,mail-kill,mailed-kill,organization-kill,outage,overload,rolling}.test.ts',
  'server/system/{deploy,races,secrets,social}/**',
  'server/system/wire/{answers,any-sequence,failures,newest-client,openapi,openapi-tools,organization-sentences,pages,round-trips,texts,wishes}.test.ts',
  'server/webhooks/test-message.test.ts',
]

/** Test files that by default repeat little, or run only part of a table. */
const withRounds = () =>
  globSync('{cli,server,shared}/**/*.test.{ts,tsx}', { ignore: '**/node_modules/**' }).filter((path) =>
    /testing\/(rounds|window-sizes)\.ts/.test(readFileSync(path, 'utf8')),
  )

const manyRounds = {
  FUZZ_RUNS: '10000',
  IDENTITY_SECONDS: '600',
  KILL_ROUNDS: '200',
  LINE_MEGABYTES: '1024',
  LISTED_USERS: '100000',
  LOAD_PAUSE: '0',
  MIGRATION_ROUNDS: '50',
  MODEL_RUNS: '10000',
  MOVED_ORGANIZATIONS: '300',
  MOVED_USERS: '2000',
  MUTATIONS: '5000',
  RACE_ROUNDS: '1000',
  SWEPT_ROWS: '1000000',
  TRAIL_EVENTS: '1000000',
  TRAIL_ROUNDS: '20',
  UPGRADE_REQUESTS: '1000000',
  WHOLE_TABLES: 'on',
}

/**
 * By `--mode`: the usual tests; these and the system tests; those that depend on the PostgreSQL version; those that depend
 * on the Node version; randomized tests for hours.
 */
function mainIn(mode: string): Options {
  const elsewhere = [...inOtherProjects, ...ofOtherTurns()]
  if (mode === 'whole') return { exclude: elsewhere }
  if (mode === 'postgres') return { exclude: [...elsewhere, ...notOfPostgres] }
  if (mode === 'node') return { exclude: [...elsewhere, ...notOfNode] }
  if (mode === 'long') return { include: withRounds(), exclude: elsewhere, env: manyRounds, testTimeout: 3_600_000 }
  return { exclude: [...elsewhere, ...ofSystem] }
}

/** Each file starts a browser, or a shell in a terminal. */
const slowly = { testTimeout: 60_000 * slack, hookTimeout: 60_000 * slack }

const longest = ['/cli/testing/', '/cli/tui/accessible/', '/server/system/ha/cluster.']

/**
 * By default the largest files run first, but how long a journey or a cluster takes does not show in its size: the
 * longest one is short and would run alone at the end.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((part) => moduleId.includes(part))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    sequence: { sequencer: LongestFirst },
    globalSetup: ['server/testing/global-setup.ts'],
    projects: [
      project('main', { include: ['{cli,server,shared}/**/*.test.{ts,tsx}'], ...mainIn(mode) }),
      project('system', { include: ofSystem, exclude: inOtherProjects }),
      project('browser', { include: [inBrowser], exclude: ofOtherTurns(), ...slowly }),
      project('shells', { include: [inShells], exclude: ofOtherTurns(), ...slowly }),
      project('ha', { include: [inCluster], exclude: ofOtherTurns() }),
      project('deploy', { include: [ofSamples], exclude: ofOtherTurns() }),
      project('image', { include: [ofImage] }),
      project('alerts', { include: [ofAlerts] }),
    ],
  },
}))
