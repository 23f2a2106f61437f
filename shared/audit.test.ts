import { expect, it } from 'vitest'
import { eventsNamed } from './audit-events.ts'

it.each([
  ['sign-in-done', ['sign-in-done']],
  ['sign-in', ['sign-in-done', 'sign-in-failed']],
  ['sign', ['sign-up-done', 'sign-up-failed', 'sign-in-done', 'sign-in-failed', 'sign-out-done']],
  ['sign-i', []],
  ['', []],
])('%j names %j', (word, names) => expect(eventsNamed(word)).toEqual(names))
