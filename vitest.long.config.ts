import { defineConfig } from 'vitest/config'

/** The same rules with many more rounds, and what takes too long for every change. */
export default defineConfig({
  test: {
    include: [
      '**/*.long.test.ts',
      'server/db/migrate.test.ts',
      'server/domain/**/*-races.test.ts',
      'server/system/races/{identity,link-races,processes,sign-up-race}.test.ts',
      'server/system/faults/{killed,mail-kill,mailed-kill,organization-kill,outage,rolling}.test.ts',
      'server/system/wire/fuzz.test.ts',
    ],
    exclude: ['**/node_modules/**', 'server/bench/**'],
    globalSetup: ['server/testing/global-setup.ts'],
    env: {
      FUZZ_RUNS: '10000',
      IDENTITY_SECONDS: '600',
      KILL_ROUNDS: '200',
      MIGRATION_ROUNDS: '50',
      RACE_ROUNDS: '1000',
    },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 3_600_000,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    hookTimeout: 60_000,
  },
})
