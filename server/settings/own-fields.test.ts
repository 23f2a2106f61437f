import { describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import type { OwnFields } from './own-fields.ts'

const read = (userFields: unknown, organizationFields?: unknown) =>
  parseConfig({}, { userFields: userFields as OwnFields, organizationFields: organizationFields as OwnFields })
    .ownFields

describe('own fields', () => {
  it('are in answers unless told otherwise, and in tokens only when told so', () => {
    const { user, organization } = read(
      { company: { kind: 'text' }, plan: { kind: ['free', 'pro'], default: 'free', input: true, inToken: true } },
      { note: { kind: 'text', returned: false } },
    )
    expect([user.answered, user.inTokens, user.defaults]).toEqual([['company', 'plan'], ['plan'], { plan: 'free' }])
    expect([organization.answered, organization.inTokens, organization.defaults]).toEqual([[], [], {}])
  })

  it.each<[field: object, name: string, message: RegExp]>([
    [{ kind: 'colour' }, 'tint', /userFields\.tint\.kind: expected text, number, flag, date, or a list/],
    [{ kind: [] }, 'tint', /userFields\.tint\.kind: expected text, number, flag, date, or a list/],
    [{ kind: 'text', type: 'string' }, 'tint', /userFields\.tint sets type: expected kind, required, default, input/],
    [{}, 'tint', /userFields\.tint\.kind: expected text/],
    [{ kind: 'text', required: 'yes' }, 'tint', /userFields\.tint\.required: expected true or false/],
    [{ kind: 'text', input: 'owner' }, 'tint', /userFields\.tint\.input: expected true, admin or false/],
    [{ kind: 'number', default: 'many' }, 'size', /userFields\.size has a default that is no value of its kind/],
    [{ kind: ['a'], default: 'b' }, 'size', /userFields\.size has a default that is no value of its kind/],
    [{ kind: 'text', required: true, input: false }, 'size', /userFields\.size is required and nobody may set it/],
    [{ kind: 'text', input: true, inToken: true, returned: false }, 'size', /userFields\.size is in tokens/],
    [{ kind: 'text', inToken: true }, 'size', /userFields\.size is in tokens, .*: say who may set it/],
    [{ kind: 'text' }, 'scope', /userFields\.scope cannot be a field/],
  ])('are refused at the start when they are %j', (field, name, message) => {
    expect(() => read({ [name]: field })).toThrow(message)
  })

  it('of organizations cannot be in tokens, which are about users', () => {
    expect(() => read({}, { seats: { kind: 'number', input: true, inToken: true } })).toThrow(
      /organizationFields\.seats is of organizations/,
    )
  })

  it.each([
    'email',
    'role',
    'emailVerified',
    'banned',
    'password',
    'id',
    'fields',
    'createdAt',
    'callbackURL',
    'data',
    'rememberMe',
    'organization',
    'sub',
    'exp',
    'act',
    'filterField',
    'isMachine',
    'constructor',
    'toString',
    'hasOwnProperty',
  ])('of users cannot be called %s', (name) => {
    expect(() => read({ [name]: { kind: 'text' } })).toThrow(`userFields.${name} cannot be a field of your own`)
  })

  it.each([
    'members',
    'slug',
    'metadata',
    'invitations',
    'teams',
    'organizationId',
    'userId',
    'soleMember',
    'constructor',
  ])('of organizations cannot be called %s', (name) => {
    expect(() => read({}, { [name]: { kind: 'text' } })).toThrow(`organizationFields.${name} cannot be a field`)
  })

  it.each(['__proto__', 'Company', 'tax-number', 'a b', '', '1st', 'x'.repeat(33)])(
    'need a plain name, unlike %j',
    (name) => {
      expect(() => read(JSON.parse(`{${JSON.stringify(name)}:{"kind":"text"}}`))).toThrow(/userFields/)
    },
  )

  it('are an object of at most thirty', () => {
    expect(() => read('company')).toThrow('userFields: expected an object of fields by name')
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`field${index}`, { kind: 'text' }]))
    expect(() => read(many)).toThrow('userFields: expected at most 30 fields')
  })

  it('report each mistake, of users and of organizations', () => {
    expect(() => read({ role: { kind: 'text' } }, { slug: { kind: 'text' } })).toThrow(
      /userFields\.role[^]*organizationFields\.slug/,
    )
  })
})
