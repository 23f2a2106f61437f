import { expect, it } from 'vitest'
import { FullUser, Session } from '../entities.ts'
import { Invitation, Member, Organization, Team } from '../organization.ts'
import { MovedRecord } from './records.ts'

// A field that no record has is lost on the way to another service, and nobody sees it.
it.each([
  ['user', FullUser, []],
  ['organization', Organization, []],
  ['team', Team, []],
  // `teams` has them.
  ['member', Member, ['teamId', 'teamIds']],
  ['invitation', Invitation, ['teamId']],
  // An impersonation does not move, and whether an address is proven follows from the account.
  ['session', Session, ['impersonatedBy', 'addressProven']],
] as const)('a record of a %s has every field of one', (type, entity, others: readonly string[]) => {
  const record = MovedRecord.options.find(({ shape }) => shape.type.value === type)
  const fields = Object.keys(entity.shape).filter((name) => !others.includes(name))
  expect(fields.filter((name) => !Object.hasOwn(Object(record).shape, name))).toEqual([])
})
