import { expect, it } from 'vitest'
import { auditEventsNamed } from './audit-events.ts'

it.each([
  ['sign-in-done', ['sign-in-done']],
  ['sign-in', ['sign-in-done', 'sign-in-failed']],
  ['sign', ['sign-up-done', 'sign-up-failed', 'sign-in-done', 'sign-in-failed', 'sign-out-done']],
  ['sign-i', []],
  ['', []],
])('%j names %j', (word, names) => expect(auditEventsNamed(word)).toEqual(names))
