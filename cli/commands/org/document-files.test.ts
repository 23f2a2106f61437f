import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')

const file = (text: string, name = 'org.yaml'): string => {
  const path = join(ann.folder, name)
  writeFileSync(path, text)
  return path
}
const apply = (text: string, flags = '') => ann(`org apply -f - ${flags}`, { stdin: text })
const document = (slug: string, rest = '') => `organization: { name: The ${slug}, slug: ${slug} }\n${rest}`
const owner = 'members: [{ email: ann@example.com, roles: [owner] }]\n'

interface Results {
  readonly results: readonly { readonly input: string; readonly action: string; readonly status: string }[]
}
const changed = (json: unknown) =>
  (json as Results).results
    .filter(({ action }) => action !== 'none')
    .map(({ input, action, status }) => `${action} ${input} ${status}`)

describe('org apply', () => {
  it('renames a team with its people, once, and asks a person where both exist', async () => {
    const team = (teams: string, name: string) =>
      document('named', `teams: [${teams}]\nmembers: [{ email: ann@example.com, roles: [owner], team: ${name} }]\n`)
    await apply(team('{ name: Old }', 'Old'))
    const renaming = team('{ name: New, renamedFrom: Old }', 'New')
    const teamIds = async () => ((await ann('team list --org named --json=id')).json as { items: unknown[] }).items
    const before = await teamIds()
    const planned = await apply(renaming, '--dry-run --prune')
    expect(planned.stdout).toContain('team\tNew\trename\tplanned\tfrom Old\n')
    expect(changed((await apply(renaming, '--prune --confirm named --json')).json)).toEqual(['rename New updated'])
    expect(await teamIds()).toEqual(before)
    expect((await ann('team member list --team New --org named --json')).json).toMatchObject({
      items: [{ email: 'ann@example.com' }],
    })
    expect(changed((await apply(renaming, '--prune --confirm named --json')).json)).toEqual([])
    await ann('team create Old --org named')
    const both = await apply(renaming, '--json')
    expect(both.error).toMatchObject({ code: 'TEAM_EXISTS_ALREADY', exitCode: 7 })
    expect(both.error['hint']).toContain('postern team delete')
  })

  it('shows a person what is added, changed from what to what, and removed, in colour', async () => {
    await apply(
      document('shown', `${owner}teams: [{ name: Ops }]\ninvitations: [{ email: cy@example.com, roles: [member] }]`),
    )
    const text = `organization: { name: Shown, slug: shown, metadata: { plan: pro } }
teams: [{ name: Art }, { name: Operations, renamedFrom: Ops }]
members: [{ email: ann@example.com, roles: [owner, admin], team: Operations }]
invitations: []
`
    const shown = await ann(`org apply -f ${file(text)} --dry-run --prune --color always`, { tty: ['stdout'] })
    expect(shown.stdout.split('\n')).toEqual([
      '\u001b[33m~ organization shown: name The shown → Shown; metadata none → {"plan":"pro"}\u001b[39m',
      '\u001b[33m~ team Operations: name Ops → Operations\u001b[39m',
      '\u001b[32m+ team Art\u001b[39m',
      '\u001b[31m- invitation cy@example.com\u001b[39m',
      '\u001b[33m~ member ann@example.com: roles owner → owner, admin; team none → Operations\u001b[39m',
      '\u001b[2m1 to add, 3 to change, 1 to remove\u001b[22m',
      '',
    ])
  })

  it('takes several documents of one text and of several files, and checks all before it changes one', async () => {
    const many = `${document('one', owner)}---\n${document('two', owner)}`
    const third = file(document('three', owner), 'three.yaml')
    const all = (flags: string) => ann(`org apply -f - -f ${third} ${flags}`, { stdin: many })
    const forPeople = await ann(`org apply -f - -f ${third} --dry-run`, {
      stdin: many,
      tty: ['stdout'],
      env: { NO_COLOR: '1' },
    })
    expect(forPeople.stdout.split('\n').slice(0, 4)).toEqual([
      'one',
      '+ organization one: name The one',
      'two',
      '+ organization two: name The two',
    ])
    const made = await all('--json')
    expect((made.json as { results: object[] }).results).toMatchObject(
      ['one', 'two', 'three'].flatMap((slug) => [{ organization: slug, input: slug, status: 'created' }, {}]),
    )
    expect((await all('')).stdout).toContain('organization\tthree\tnone\tunchanged\t\tthree\n')
    expect((await apply(many, '--prune --confirm one')).code).toBe(2)
    expect((await apply(many, '--prune --confirm one,one')).code).toBe(2)
    expect((await apply(many, '--prune --confirm one')).stderr).toContain('--prune --confirm one,two')
    expect((await apply(many, '--prune --confirm two,one --json')).code).toBe(0)

    const bad = `${document('four', owner)}---\n${document('two', 'members: [{ email: ann@example.com, roles: [member] }]')}`
    expect((await apply(bad, '--json')).error).toMatchObject({ code: 'ONLY_OWNER' })
    expect((await ann('org slug check four')).code).toBe(0)
    expect((await apply(`${many}---\n${document('ONE')}`)).stderr).toContain(
      'Two documents describe one: in stdin and in stdin',
    )
    expect((await ann('org apply -f - -f -', { stdin: many })).stderr).toContain('stdin (-) can be given only once')
  })
})
