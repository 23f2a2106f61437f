import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const server = fileURLToPath(new URL('..', import.meta.url))
const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(^|\/)testing\/|node_modules/.test(name),
)
const holding = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(`${server}${name}`, 'utf8')))

it('takes no statement that was put together as text, but the files of migrations', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(holding(/\.unsafe\b|\['unsafe'\]/)).toEqual(['db/migrate.ts'])
})
