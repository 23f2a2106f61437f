import { defineConfig } from 'vitest/config'

/** What only a real browser can show; fails where there is no Chromium. */
export default defineConfig({
  test: {
    include: ['{cli,server,shared}/**/*.browser.test.ts'],
    globalSetup: ['server/testing/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    // What is waited for may be the start of a process on a busy machine.
    expect: { poll: { timeout: 20_000, interval: 20 } },
    hookTimeout: 60_000,
  },
})
