import { describe, expect, it } from 'vitest'
import type { CliError } from '../../../output/cli-error.ts'
import { readDocuments } from './read.ts'

const problems = (text: string): readonly string[] => {
  try {
    readDocuments(text, 'acme.yaml')
    return []
  } catch (error) {
    const { exitCode, details } = error as CliError
    expect(exitCode).toBe(2)
    return details
  }
}

const only = (text: string) => {
  const documents = readDocuments(text, 'stdin')
  expect(documents).toHaveLength(1)
  return documents[0]
}

const organization = 'organization: { name: Acme, slug: acme }\n'

describe('a document', () => {
  it('names an own role of a person once, in whatever spellings', () => {
    const text = `${organization}roles: [{ name: Editor, permissions: [] }]
members: [{ email: ann@example.com, roles: [owner, Editor, editor] }]
`
    expect(only(text)?.members).toEqual([{ email: 'ann@example.com', roles: ['owner', 'editor'] }])
  })

  it('is read, addresses and slug in lower case', () => {
    const text = `
organization:
  name: Acme
  slug: ACME
  metadata: { plan: pro, seats: 20, tags: [a, null] }
teams:
  - name: Payments
members:
  - email: Ann@Example.com
    roles: [owner]
    team: Payments
invitations:
  - { email: bo@example.com, roles: [member, admin] }
`
    expect(only(text)).toEqual({
      organization: { name: 'Acme', slug: 'acme', metadata: { plan: 'pro', seats: 20, tags: ['a', null] } },
      teams: [{ name: 'Payments' }],
      members: [{ email: 'ann@example.com', roles: ['owner'], team: 'Payments' }],
      invitations: [{ email: 'bo@example.com', roles: ['member', 'admin'] }],
    })
  })

  it('may be JSON, and may share by anchors', () => {
    expect(only('{"organization":{"name":"Acme","slug":"acme","logo":null}}')).toEqual({
      organization: { name: 'Acme', slug: 'acme', logo: null },
    })
    const shared =
      'members:\n - { email: a@example.com, roles: &all [owner, admin] }\n - { email: b@example.com, roles: *all }\n'
    expect(only(organization + shared)?.members?.[1]?.roles).toEqual(['owner', 'admin'])
  })

  it('leaves the teams alone if they are null', () => {
    for (const text of [`${organization}teams: null\n`, '{"organization":{"name":"Acme","slug":"acme"},"teams":null}'])
      expect(only(text)).toEqual({ organization: { name: 'Acme', slug: 'acme' } })
  })

  it('may be one of several in a text, of which empty ones count as none', () => {
    const globex = organization.replaceAll('cme', 'lobex')
    const read = readDocuments(`---\n# none yet\n---\n${organization}...\n---\n${globex}---\n`, 'stdin')
    expect(read.map(({ organization: { slug } }) => slug)).toEqual(['acme', 'alobex'])
  })

  it.each([
    ['a key that is not known', `${organization}colour: red\n`, ['line 2, colour: no such key']],
    [
      'a key that is not known, deep inside',
      `${organization}members:\n  - email: a@example.com\n    roles: [owner]\n    rolls: []\n`,
      ['line 5, members[0].rolls: no such key, did you mean roles?'],
    ],
    [
      'a value of another kind',
      'organization:\n  name: Acme\n  slug: 7\n',
      ['line 3, organization.slug: expected a text'],
    ],
    [
      'what is missing, at what should hold it',
      `${organization}members:\n  - roles: [owner]\n`,
      ['line 3, members[0].email: is missing'],
    ],
    [
      'what is no address',
      `${organization}members:\n - { email: "a@x,b@y", roles: [owner] }\n`,
      ['line 3, members[0].email: not an e-mail address'],
    ],
    [
      'no roles',
      `${organization}members:\n - { email: a@example.com, roles: [] }\n`,
      ['line 3, members[0].roles: expected at least 1 entry'],
    ],
    [
      'one word where a list belongs',
      `${organization}teams: [A]\nmembers:\n - { email: a@example.com, roles: owner }\n - { email: b@example.com, roles: [owner], team: 5 }\n`,
      [
        'line 2, teams[0]: expected an object',
        'line 4, members[0].roles: expected a list',
        'line 5, members[1].team: expected a team or a list of teams',
      ],
    ],
    [
      'two roles in one',
      `${organization}members:\n - { email: a@example.com, roles: ["admin,owner"] }\n`,
      [/roles\[0\]: one role name, without commas/],
    ],
    [
      'one person twice, whatever the case',
      `${organization}members:\n - { email: a@example.com, roles: [owner] }\ninvitations:\n - { email: A@example.com, roles: [owner] }\n`,
      ['line 5, invitations[0].email: this address is listed already'],
    ],
    [
      'a team twice, and one that is not listed',
      `${organization}teams:\n - name: A\n - name: A\nmembers:\n - { email: a@example.com, roles: [owner], team: B }\n`,
      [
        'line 4, teams[1].name: this team is listed already',
        'line 6, members[0].team: this team is not listed under teams',
      ],
    ],
    ['teams of which none is left', `${organization}teams:\n# - name: A\n`, ['line 2, teams: is empty']],
    [
      'a team whose former name is in use',
      `${organization}teams:\n - { name: A, renamedFrom: B }\n - { name: B }\n`,
      ['line 3, teams[0].renamedFrom: a team of that name is listed too'],
    ],
    [
      'two teams with one former name',
      `${organization}teams:\n - { name: A, renamedFrom: C }\n - { name: B, renamedFrom: C }\n`,
      ['line 4, teams[1].renamedFrom: another team is renamed from this one'],
    ],
    ['a slug that is none', 'organization: { name: A, slug: ../admin }\n', [/slug: letters, digits and -, at most 64/]],
    ['a name of blanks', 'organization: { name: "  ", slug: a }\n', [/name: more than blanks/]],
    [
      'a script for a logo',
      'organization:\n  name: A\n  slug: a\n  logo: "javascript:alert(1)"\n',
      [/^line 4, organization\.logo: an http or https address, or data:image/],
    ],
    ['no organization', '{}', [/line 1, organization: /]],
    ['nothing', '', [/^line 1: is empty$/]],
    ['a list', '- a\n', ['line 1: expected an object']],
    [
      'a number that JSON has not',
      'organization:\n  name: A\n  slug: a\n  metadata:\n    a: .inf\n',
      ['line 5, organization.metadata.a: not a JSON value'],
    ],
  ])('is refused with the place of %s', (_, text, expected) => {
    const found = problems(text)
    expect(found).toHaveLength(expected.length)
    for (const [index, one] of expected.entries()) expect(found[index]).toMatch(one)
  })

  it.each([
    ['a key twice', `${organization}${organization}`, 'line 2: Map keys must be unique'],
    ['a quote that never ends', 'organization: "', 'line 1: Missing closing "quote'],
    ['a mistake in its second document', `${organization}---\n${organization}x: 1\n`, 'line 4, x: no such key'],
    ['tabs', 'organization:\n\tname: A\n', 'line 2: '],
    ['a tag of the language', 'organization: !!binary aGk=\n', 'line 1: Unresolved tag'],
    ['a tag of somebody', 'organization: !!js/function "() => 1"\n', 'line 1: Unresolved tag'],
    ['a directive', '%EVIL x\n---\n{}\n', 'line 1: Unknown directive'],
    ['a key that is a list', '? [a, b]\n: 1\n', 'line 1: With stringKeys'],
    ['merging', `<<: { a: 1 }\n${organization}`, 'line 1, <<: no such key'],
    ['merging of an older YAML', `%YAML 1.1\n---\n<<: { a: 1 }\n${organization}`, 'line 3, <<: no such key'],
    ['an alias of nothing', 'organization: *nobody\n', 'line 1: Unresolved alias'],
    ['an alias of itself', 'organization: &all { name: A, slug: a, metadata: *all }\n', 'line 1: *all contains itself'],
    ['a prototype', `${organization}__proto__: { polluted: yes }\n`, 'line 2: __proto__ is not a valid key'],
    ['a prototype deep inside', 'organization:\n  metadata: { a: { constructor: 1 } }\n', 'line 2: constructor is'],
    ['a prototype in JSON', '{"organization":{"metadata":{"__proto__":{"polluted":1}}}}', 'line 1: __proto__ is'],
    ['a deep well of lists', `a: ${'['.repeat(5000)}${']'.repeat(5000)}`, 'line 1: nested'],
    ['a well that only just fits', `a: ${'['.repeat(700)}${']'.repeat(700)}`, 'line 1: nested deeper than 32'],
    ['a deep well of maps', Array.from({ length: 900 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), ': nested'],
  ])('is refused with %s', (_, text, expected) => {
    expect(problems(text)[0]).toContain(expected)
    expect({}).not.toHaveProperty('polluted')
  })

  it('is refused when aliases make much of little, and quickly', () => {
    const layers = Array.from({ length: 12 }, (_, at) => {
      const items = at === 0 ? Array(10).fill('x') : Array(10).fill(`*a${at - 1}`)
      return `a${at}: &a${at} [${items.join(', ')}]`
    })
    expect(problems(layers.join('\n'))).toEqual([expect.stringContaining('Excessive alias count')])
  })

  it('names the first twenty problems', () => {
    const many = Array.from({ length: 30 }, (_, at) => `key${at}: 1`).join('\n')
    expect(problems(organization + many)).toHaveLength(21)
    expect(problems(organization + many).at(-1)).toBe('and 10 more')
  })
})
