import { expect, it } from 'vitest'
import { kinds } from '../../server/db/moving/kinds.ts'
import { reasonOf } from '../commands/import/reasons.ts'

const unknown = reasonOf('none')

it('whatever keeps a record away has a sentence of its own', () => {
  const codes = Object.values(kinds).flatMap(({ needs, meets }) => [...needs, ...meets].map(([code]) => code))
  // What is there already is not told.
  const told = new Set(codes.filter((code) => code !== 'PRESENT'))
  expect(told).toContain('EMAIL_TAKEN')
  expect([...told].filter((code) => reasonOf(code)[0] === unknown[0])).toEqual([])
})
