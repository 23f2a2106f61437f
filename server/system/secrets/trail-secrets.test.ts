import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { auditEventNames } from '../../../shared/audit-events.ts'
import { allAnswers } from '../../testing/all-answers.ts'
import { logOnly } from '../../testing/check-trail.ts'
import { catalogue, type EventName } from '../../testing/events-of-calls.ts'
import { readMails } from '../../testing/mails.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { dumpTables } from '../../testing/rows.ts'
import { createTestService, type TestService, testServiceKey } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import { useStarted } from '../../testing/use-service.ts'
import { createVisitor, type Visitor } from '../../testing/visitor.ts'

// Every call once.
vi.setConfig({ testTimeout: 120_000 * slack })

let service: TestService
const all: TestService[] = []
/** All that was secret in the requests and answers of the run. */
const secrets = new Set<string>([testServiceKey])
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  service = watched(await createTestService({ LOG_LEVEL: 'trace', ...provider.settings('GOOGLE') }))
})
afterAll(() => service.stop())

/** Names of fields, headers and parameters whose values nobody else may learn. */
const secretName = /password|token|secret|^code$|_code|verifier|nonce|state$|cookie|authorization|^id_?token$/i
/** A handle of a session signs nobody in. */
const isHandle = (text: string): boolean => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(text)
/** Fields that are called so and say nothing. */
const plain = /type|expires|endpoint|uri|url|^token_type$/i

function collect(value: unknown, name = ''): void {
  if (typeof value === 'string' && secretName.test(name) && !plain.test(name) && value.length > 7 && !isHandle(value))
    secrets.add(value)
  else if (typeof value === 'object' && value !== null)
    for (const [field, inner] of Object.entries(value)) collect(inner, field)
}

const spellings = (text: string) => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64url'),
]

/** The same service; what its visitors send and get is looked through for secrets. */
function watched(made: TestService): TestService {
  all.push(made)
  const watch = (visitor: Visitor): Visitor => ({
    ...visitor,
    get: (path, headers = {}) => seen(path, headers, undefined, visitor.get(path, headers)),
    post: (path, body = {}, headers = {}) => seen(path, headers, body, visitor.post(path, body, headers)),
  })
  const seen: (...sent: [string, object, unknown, ReturnType<Visitor['get']>]) => ReturnType<Visitor['get']> = async (
    path,
    headers,
    body,
    asked,
  ) => {
    const reply = await asked
    for (const part of [Object.fromEntries(new URLSearchParams(path.split('?')[1])), headers, body, reply.body])
      collect(part)
    for (const line of reply.setCookies) collect(decodeURIComponent(/=([^;]*)/.exec(line)?.[1] ?? ''), 'cookie')
    return reply
  }
  const { app, deps } = made
  return {
    ...made,
    visitor: (address) => watch(createVisitor(app, deps.config, address)),
    person: async (fields) => {
      const person = await made.person(fields)
      for (const value of person.cookies.values()) collect(decodeURIComponent(value), 'cookie')
      return { ...watch(person), email: person.email }
    },
    sibling: async (settings) => watched(await made.sibling(settings)),
  }
}

it('no secret of a whole run stands in a row of the trail or in a log line, nor does an address', async () => {
  const emails = new Set<string>()
  const answers = allAnswers(
    () => service,
    () => provider,
  )
  for (const ask of Object.values(answers)) {
    // One of each call; those that fail here for want of a setting tell something, too.
    await ask()
    for (const { token, to } of await readMails(service)) {
      collect(token, 'token')
      emails.add(to)
    }
  }
  for (const { email } of await service.deps.sql<{ email: string }[]>`select email from users`) emails.add(email)
  const rows = await service.deps.sql<{ row: string }[]>`select e::text as row from audit_events e`
  const trail = rows.map(({ row }) => row).join('\n')
  const log = JSON.stringify(all.flatMap(({ logged }) => logged))
  expect([rows.length > 100, secrets.size > 100, emails.size > 20]).toEqual([true, true, true])
  const told = [...secrets, ...emails].filter((secret) =>
    spellings(secret).some((text) => trail.includes(text) || log.includes(text)),
  )
  expect(told).toEqual([])
  // What stands in other tables is what has to: nobody is found without an address.
  const tables = await dumpTables(service, 'audit_events')
  expect([...secrets].filter((secret) => tables.includes(secret))).toEqual([])
})

it('has every event that is told in its list, but for those of the log', () => {
  const rows = (Object.keys(catalogue) as EventName[]).filter((name) => !logOnly.has(name))
  expect([...auditEventNames].toSorted()).toEqual(rows.toSorted())
})

it('a session that is read writes no row, and one line', async () => {
  const ann = await service.person()
  const count = async () => (await service.deps.sql`select from audit_events`).length
  const before = await count()
  service.statements.forget()
  service.logged.length = 0
  await ann.get('/get-session')
  expect([service.statements.list.length, service.logged.map(({ msg }) => msg)]).toEqual([1, ['request']])
  expect(await count()).toBe(before)
})
