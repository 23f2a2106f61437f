import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { afterAll } from 'vitest'
import { endRunning } from './running.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

// Else `fetch` gives 127.0.0.1 up for ::1, where nobody listens, when the machine stands still for a quarter of a second.
setDefaultAutoSelectFamilyAttemptTimeout(100_000)

// The first to be told is the last to run: what a file stops in its own afterAll is stopped by then.
afterAll(async () => {
  try {
    await endRunning()
  } finally {
    removeTemporaryFolders()
  }
})
