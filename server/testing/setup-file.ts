import { afterAll } from 'vitest'
import { endRunning } from './running.ts'
import { removeTemporaryFolders } from './temporary-folder.ts'

// The first to be told is the last to run: what a file stops in its own afterAll is stopped by then.
afterAll(async () => {
  try {
    await endRunning()
  } finally {
    removeTemporaryFolders()
  }
})
