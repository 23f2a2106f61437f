import { afterAll, beforeAll, expect, it } from 'vitest'
import { knownCalls } from '../../testing/calls.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'

let service: TestService
beforeAll(async () => {
  service = await createTestService({ RATE_LIMIT: 'on', DATABASE_POOL: '2' })
})
afterAll(() => service.stop())

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

/** Every call, with each table and each column that calls decide on taken away in turn. */
async function* everyFault(): AsyncGenerator<Fault> {
  const { sql } = service.deps
  for (const [table, column] of [
    ['users', null],
    ['accounts', null],
    ['sessions', null],
    ['rate_limits', null],
    ['verifications', null],
    ['outbox', null],
    ['organizations', null],
    ['members', null],
    ['invitations', null],
    ['teams', null],
    ['users', 'email'],
    ['accounts', 'password'],
    ['sessions', 'token_hash'],
  ] as const)
    for (const { name, call, target, headers: sent, input } of concernedBy(table)) {
      const ann = await service.person()
      const what = column ? sql`column ${sql(column)}` : sql``
      await sql`alter table ${sql(table)} rename ${what} to away`
      const texts = Object.entries(input).map(([field, value]) => [field, field === 'name' ? canary : value])
      const body = { ...Object.fromEntries(texts), email: ann.email, password: testPassword }
      const { status, text, headers } = await (call.method === 'GET' ? ann.get(target) : ann.post(target, body, sent))
      if (column) await sql`alter table ${sql(table)} rename column away to ${sql(column)}`
      else await sql`alter table away rename to ${sql(table)}`
      if (status >= 500)
        yield { place: `${name} without ${table} ${column ?? ''}`, text, requestId: headers.get('x-request-id') }
    }
}

it('says the same of every fault, and how to find it in the log', { timeout: 90_000 }, async () => {
  const faults: Fault[] = []
  for await (const fault of everyFault()) faults.push(fault)
  expect(faults.length).toBeGreaterThanOrEqual(20)
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
