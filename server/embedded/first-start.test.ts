import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { checkFirstStart } from './first-start.ts'

it('accepts a folder that can be made', async () => {
  await expect(checkFirstStart(join(temporaryFolder('first'), 'new', 'data'))).resolves.toBeUndefined()
})

it('refuses a folder that cannot be made', async () => {
  const file = join(temporaryFolder('first'), 'file')
  writeFileSync(file, '')
  await expect(checkFirstStart(join(file, 'data'))).rejects.toThrow(/cannot be used: ENOTDIR.*Set DATA_DIR/)
})

it('refuses a machine without a PostgreSQL to embed', async () => {
  const none = () => Promise.resolve(false)
  await expect(checkFirstStart(temporaryFolder('first'), none)).rejects.toThrow(/No PostgreSQL to embed was found/)
})
