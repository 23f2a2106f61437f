import { expect, it } from 'vitest'
import { misspeltSettings } from './misspelt.ts'

it.each([
  ['TRUSTED_ORIGNS', 'TRUSTED_ORIGINS'],
  ['TRUSTEED_ORIGINS', 'TRUSTED_ORIGINS'],
  ['TRUSTED_ORIGINZ', 'TRUSTED_ORIGINS'],
  ['TRUSTED_OIRGINS', 'TRUSTED_ORIGINS'],
  ['TRUSTED_ORIGIN', 'TRUSTED_ORIGINS'],
  ['COOKIE_CACHEE', 'COOKIE_CACHE'],
])('%s is %s with a slip', (name, meant) => {
  expect(misspeltSettings([name])).toEqual([`${name} is no setting and has no effect: is ${meant} meant?`])
})

it('what is a setting, is far from each, or is short is left to whoever reads it', () => {
  const names = [
    'TRUSTED_ORIGINS',
    'SECRET_FILE',
    'GOOGLE_CLIENT_ID',
    'TRUSTED',
    'ORIGINS_TRUSTED',
    'PORTS',
    'PATH',
    '',
  ]
  expect(misspeltSettings(names)).toEqual([])
})
