import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

it('says what to do where no folder can be made', () => {
  const file = join(folder, 'taken')
  writeFileSync(file, '')
  expect(() => keptSecret(file)).toThrow(/taken, cannot be used: .*Set DATA_DIR to a folder that can be written/)
})

it.each(['', 'short', `${'x'.repeat(63)}`, `${'x'.repeat(64)}\n`])('is not what is left of it: %j', (rest) => {
  const data = mkdtempSync(join(folder, 'damaged-'))
  writeFileSync(join(data, 'secret'), rest)
  expect(() => keptSecret(data)).toThrow(`${join(data, 'secret')} is damaged: set SECRET, or delete the file`)
  expect(readFileSync(join(data, 'secret'), 'utf8')).toBe(rest)
})
