import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { checkFirstStart } from './first-start.ts'

it('accepts a folder that can be made', async () => {
  await expect(checkFirstStart(join(temporaryFolder('first'), 'new', 'data'))).resolves.toBeUndefined()
})

it.skipIf(process.getuid?.() === 0)('refuses a folder that cannot be written', async () => {
  await expect(checkFirstStart('/postern/data')).rejects.toThrow(/cannot be used: EACCES.*Set DATA_DIR/)
})

it('refuses a machine without a PostgreSQL to embed', async () => {
  const none = () => Promise.resolve(false)
  await expect(checkFirstStart(temporaryFolder('first'), none)).rejects.toThrow(/No PostgreSQL to embed was found/)
})
