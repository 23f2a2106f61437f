import { expect, it } from 'vitest'
import { knownCalls } from '../../testing/calls.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService({ RATE_LIMIT: 'on', DATABASE_POOL: '2' })

const canary = 'canary\n\u001b[2J"\\'
const fixed = [
  '{"code":"INTERNAL_SERVER_ERROR","message":"Internal server error"}',
  '{"code":"FAILED_TO_GET_SESSION","message":"Failed to get session"}',
]

interface Fault {
  readonly place: string
  readonly text: string
  readonly requestId: string | null
}

/** Tables that only calls about organizations use, and tables that none of those calls uses. */
const ofOrganizations = new Set<string>(['organizations', 'members', 'invitations', 'teams'])
const ofAccounts = new Set<string>(['accounts', 'rate_limits', 'verifications'])

const concernedBy = (table: string) =>
  knownCalls.filter(({ path }) => !(path.startsWith('/organization/') ? ofAccounts : ofOrganizations).has(table))

const places = [
  ['users', ''],
  ['accounts', ''],
  ['sessions', ''],
  ['rate_limits', ''],
  ['verifications', ''],
  ['outbox', ''],
  ['organizations', ''],
  ['members', ''],
  ['invitations', ''],
  ['teams', ''],
  ['users', 'email'],
  ['accounts', 'password'],
  ['sessions', 'token_hash'],
] as const

/** Every call, with a table or a column that calls decide on taken away. */
async function* faultsWithout(table: string, column: string): AsyncGenerator<Fault> {
  const { sql } = service.deps
  let known: Awaited<ReturnType<TestService['person']>> | undefined
  for (const { name, call, target, headers: sent, input } of concernedBy(table)) {
    const ann = known ?? (await service.person())
    const what = column ? sql`column ${sql(column)}` : sql``
    await sql`alter table ${sql(table)} rename ${what} to away`
    const texts = Object.entries(input).map(([field, value]) => [field, field === 'name' ? canary : value])
    const body = { ...Object.fromEntries(texts), email: ann.email, password: testPassword }
    const { status, text, headers } = await (call.method === 'GET' ? ann.get(target) : ann.post(target, body, sent))
    if (column) await sql`alter table ${sql(table)} rename column away to ${sql(column)}`
    else await sql`alter table away rename to ${sql(table)}`
    // What was refused, or broke, left them as they were: the same person goes on.
    known = status >= 400 ? ann : undefined
    if (status >= 500)
      yield { place: `${name} without ${table} ${column ?? ''}`, text, requestId: headers.get('x-request-id') }
  }
}

it.each(places)('says the same of every fault without %s %s, and how to find it in the log', async (table, column) => {
  service.logged.length = 0
  const faults: Fault[] = []
  for await (const fault of faultsWithout(table, column)) faults.push(fault)
  expect(faults.length).toBeGreaterThan(0)
  expect(faults.filter(({ text }) => !fixed.includes(text))).toEqual([])
  const lines = faults.map(({ requestId }) => service.logged.filter((line) => line.requestId === requestId))
  for (const [index, found] of lines.entries())
    expect([faults[index]!.place, found]).toEqual([
      faults[index]!.place,
      [
        expect.objectContaining({
          level: 50,
          msg: 'request failed',
          status: 500,
          err: expect.objectContaining({ message: expect.stringMatching(/^(relation|column) .* does not exist$/) }),
        }),
      ],
    ])
  const written = JSON.stringify(service.logged)
  expect(written).not.toMatch(/select|insert into|canary|correct horse|@example\.com/)
})
