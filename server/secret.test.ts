import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { keptSecret } from './secret.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-secret-'))
afterAll(() => rmSync(folder, { recursive: true }))

const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8)

it('is made once, in a folder that is closed below parents that are not', () => {
  const before = process.umask(0o022)
  const secret = keptSecret(join(folder, 'parent', 'data'))
  process.umask(before)
  expect(secret).toMatch(/^[\w-]{64}$/)
  expect(keptSecret(join(folder, 'parent', 'data'))).toBe(secret)
  expect([modeOf('parent'), modeOf('parent/data'), modeOf('parent/data/secret')]).toEqual(['755', '700', '600'])
})
