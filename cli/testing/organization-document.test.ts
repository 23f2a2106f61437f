import { beforeAll, expect, it, vi } from 'vitest'
import { readMails } from '../../server/testing/mails.ts'
import { slack } from '../../server/testing/slack.ts'
import type { TestPerson } from './own-service.ts'
import { useOwnService, usePerson } from './use-service.ts'

// Two organizations through all their changes, in one test.
vi.setConfig({ testTimeout: 120_000 * slack })

const service = useOwnService()
const owner = usePerson(service, 'Ann')
let people: readonly TestPerson[]

beforeAll(async () => {
  const names = Array.from({ length: 20 }, (_, at) => `P${String(at).padStart(2, '0')}`)
  people = await Promise.all(names.map((name) => service.person(name)))
})

const said = async (argv: string | readonly string[], stdin = '') => {
  const { code, stdout, stderr } = await owner(argv, { stdin })
  expect([argv, code, stderr]).toEqual([argv, 0, expect.any(String)])
  return stdout
}
const emails = (some: readonly TestPerson[]): string => some.map(({ email }) => email).join('\n')

interface Listed {
  readonly items: readonly { readonly id: string; readonly organizationSlug: string }[]
}

/** Everybody who was invited to it accepts. */
async function accept(slug: string, some: readonly TestPerson[]): Promise<void> {
  for (const person of some) {
    const { items } = (await person('invitation list --mine --json')).json as Listed
    const id = items.find(({ organizationSlug }) => organizationSlug === slug)?.id
    expect([person.email, (await person(`invitation accept ${id}`)).code]).toEqual([person.email, 0])
  }
}

interface Applied {
  readonly results: readonly { readonly input: string; readonly action: string; readonly status: string }[]
}
const apply = async (document: string, flags = ''): Promise<string[]> => {
  const { results } = JSON.parse(await said(`org apply -f - --json ${flags}`, document)) as Applied
  return results.filter(({ action }) => action !== 'none').map(({ action, input }) => `${action} ${input}`)
}

it('an organization becomes a document, and the document another organization', async () => {
  await said(['org', 'create', 'Acme Works', '--slug', 'acme', '--metadata', '{"plan":"pro","seats":20}'])
  await said(['team', 'create', 'Payments'])
  await said('invitation create - --role member --team Payments', emails(people.slice(0, 8)))
  await said('invitation create - --role admin,member', emails(people.slice(8, 12)))
  await said(['invitation', 'create', '-', '--role', 'owner', '--team', 'Acme Works'], emails(people.slice(12, 19)))
  await accept('acme', people.slice(0, 19))
  await said('invitation create new@example.com other@example.com --role member --team Payments')

  const acme = await said('org export acme')
  expect(acme.match(/email:/g)).toHaveLength(22)
  expect(await apply(acme, '--prune --confirm acme')).toEqual([])

  const globex = acme.replaceAll('acme', 'globex').replaceAll('Acme Works', 'Globex')
  await service.service.deps.sql`delete from outbox`
  const made = await apply(globex)
  expect(made.filter((line) => line.startsWith('invite '))).toHaveLength(21)
  expect(made).toContain('update ann@example.com')
  const mails = (await readMails(service.service)).filter(({ kind }) => kind === 'invitation')
  expect(mails.map(({ to }) => to).toSorted()).toEqual(
    [...people.slice(0, 19).map(({ email }) => email), 'new@example.com', 'other@example.com'].toSorted(),
  )
  expect(await apply(globex)).toEqual([])
  expect(await readMails(service.service)).toHaveLength(mails.length)

  await accept('globex', people.slice(0, 19))
  expect(await said('org export globex')).toBe(globex)
  expect(await apply(globex, '--prune --confirm globex')).toEqual([])
  expect(await said('org export acme')).toBe(acme)

  await said('org use globex')
  await said('team create Extra')
  await said('invitation create extra@example.com --role member --team Extra')
  await said(`invitation create ${people[19]?.email} --role owner --team Extra`)
  await accept('globex', people.slice(19))
  expect(await apply(globex)).toEqual([])
  expect(await apply(globex, '--prune --confirm globex')).toEqual([
    'delete extra@example.com',
    `delete ${people[19]?.email}`,
    'delete Extra',
  ])
  expect(await said('org export globex')).toBe(globex)
  expect((await people[19]?.('org export globex'))?.code).toBe(6)
})

it('two who apply the same document at once end where it says', async () => {
  const document = `organization: { name: Both, slug: both }
teams: [{ name: Ops }]
members:
  - { email: ann@example.com, roles: [owner], team: Ops }
  - { email: p00@example.com, roles: [admin] }
invitations: [{ email: p01@example.com, roles: [member], team: Ops }]
`
  await apply(document)
  await accept('both', people.slice(0, 1))
  const other = document.replace('[member], team: Ops', '[admin, member]').replace('[admin] }', '[admin, member] }')
  const both = [owner, people[0] ?? owner].map((who) => who('org apply -f - --json', { stdin: other }))
  for (const { code } of await Promise.all(both)) expect([0, 13]).toContain(code)
  expect(await apply(other)).toEqual([])
})
