import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { replaceFile } from './replace-file.ts'

it('replaces the file alone, and leaves nothing beside it, even when it cannot', () => {
  const folder = temporaryFolder('replace')
  const file = join(folder, 'cursor')
  writeFileSync(`${file}.tmp`, 'somebody else’s')
  for (const text of ['one', 'two']) replaceFile(file, text)
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two', 0o600])
  mkdirSync(join(folder, 'taken'))
  expect(() => replaceFile(join(folder, 'taken'), 'three')).toThrow('EISDIR')
  expect(readdirSync(folder)).toEqual(['cursor', 'cursor.tmp', 'taken'])
  expect(readFileSync(`${file}.tmp`, 'utf8')).toBe('somebody else’s')
})
