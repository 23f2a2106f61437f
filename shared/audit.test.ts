import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { auditEventNames, eventsNamed } from './audit-events.ts'

it('every event stands in README', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, list = ''] = /^The events: ([^.]+)\./ms.exec(readme) ?? []
  expect([...list.matchAll(/`([\w-]+)`/g)].map(([, name]) => name)).toEqual([...auditEventNames])
})

it.each([
  ['sign-in-done', ['sign-in-done']],
  ['sign-in', ['sign-in-done', 'sign-in-failed']],
  ['sign', ['sign-up-done', 'sign-up-failed', 'sign-in-done', 'sign-in-failed', 'sign-out-done']],
  ['sign-i', []],
  ['', []],
])('%j names %j', (word, names) => expect(eventsNamed(word)).toEqual(names))
