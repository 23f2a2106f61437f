import { defineConfig } from 'vitest/config'

/** Everything but the browser: one server, a cloned database per file, two workers. */
export default defineConfig({
  test: {
    include: ['{cli,server,shared}/**/*.test.{ts,tsx}'],
    exclude: ['**/*.browser.test.ts', '**/*.long.test.ts', '**/node_modules/**', 'server/bench/**'],
    globalSetup: ['server/testing/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    // What is waited for may be the start of a process on a busy machine.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    hookTimeout: 30_000,
  },
})
