import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { date, roleNames } from '../../shared/entities.ts'
import { Member } from '../../shared/organization.ts'
import { encoderOf } from './encoder.ts'

const when = new Date(86_400_000)
const Person = z.object({ name: z.string(), since: date, role: roleNames.nullable(), note: z.string().optional() })
const secret = { password: 'hunter2' }

describe('an encoder does what the schema does:', () => {
  it.each([
    ['an object', Person, { name: 'Ann', since: when, role: ['owner', 'admin'], note: 'x' }],
    ['an absent field and null', Person, { name: 'Ann', since: when, role: null }],
    ['a list', z.array(Person), [{ name: 'Ann', since: when, role: [] }]],
    ['a list of lists', z.array(z.array(date)), [[when], []]],
    ['null instead of an object', Person.nullable(), null],
    ['an object in an object', z.object({ a: z.object({ b: z.object({ c: date }) }) }), { a: { b: { c: when } } }],
    ['one of several kinds', z.union([date, z.string()]), when],
    ['a record', z.record(z.string(), date), { one: when }],
    ['an object with any other fields', z.looseObject({ since: date }), { since: when, more: 1 }],
    ['a list that nobody may change', z.array(date).readonly(), [when]],
  ])('%s', (_what, schema: z.ZodType, value) => {
    expect(JSON.stringify(encoderOf(schema)(value))).toBe(JSON.stringify(z.encode(schema, value)))
  })
})

it('lets no field pass that the schema does not name, however deep', () => {
  const schema = z.object({ people: z.array(z.object({ friend: Person.nullable() })) })
  const ann = { name: 'Ann', since: when, role: null, ...secret }
  const encoded = encoderOf(schema)({
    people: [
      { friend: ann, ...secret },
      { friend: null, ...secret },
    ],
    ...secret,
  })
  expect(JSON.stringify(encoded)).not.toContain('hunter2')
  expect(JSON.stringify(encoded)).toContain('Ann')
})

it('tells nothing of the teams of a service without them, however deep', () => {
  const member = {
    id: 'm',
    organizationId: 'o',
    userId: 'u',
    role: ['owner'],
    createdAt: when,
    teamId: 't',
    teamIds: ['t'],
  }
  const schema = z.object({ members: z.array(Member) })
  const encode = (hasTeams: boolean) =>
    JSON.stringify(encoderOf(schema, { user: [], organization: [], hasTeams })({ members: [member] }))
  expect(encode(true)).toContain('"teamId":"t","teamIds":["t"]')
  expect(encode(false)).toBe(encode(true).replace('"teamId":"t","teamIds":["t"],', ''))
})
