import { beforeAll, expect, it } from 'vitest'
import { accountAnswers } from '../../testing/account-answers.ts'
import { dump, knownCalls } from '../../testing/calls.ts'
import { withHooks } from '../../testing/mailed.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { organizationAnswers } from '../../testing/organization-answers.ts'
import { type TestService } from '../../testing/service.ts'
import { socialAnswers } from '../../testing/social-answers.ts'
import { through } from '../../testing/through.ts'
import { useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

let failing: TestService
/** The call whose commit fails, and what became of it. */
let target: { path: string; before: string; after: string } | undefined
/** What was told that something had happened. */
const told: string[] = []
const hooks = [
  'afterDeleteUser',
  'afterVerifyEmail',
  'afterResetPassword',
  'afterCreateOrganization',
  'afterDeleteOrganization',
]
const tables = [
  'users',
  'accounts',
  'sessions',
  'verifications',
  'outbox',
  'organizations',
  'members',
  'invitations',
  'teams',
  'audit_events',
]
const tell = (what: string) => () => void told.push(what)

const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))
beforeAll(async () => {
  const { sql } = service.deps
  await sql`create table disk (is_full boolean)`
  await sql`insert into disk values (false)`
  // Not at the statement, whose failure is an earlier and easier one: when all has been said, and is to be kept.
  await sql`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if (select is_full from disk) then raise exception 'disk full'; end if;
      return null;
    end $$
  `
  for (const table of tables)
    await sql`
      create constraint trigger full_disk after insert or update or delete on ${sql(table)}
      deferrable initially deferred for each row execute function refuse()
    `
  const hooked = await withHooks(service, Object.fromEntries(hooks.map((hook) => [hook, tell(hook)])), {
    AUTO_SIGN_IN_AFTER_VERIFICATION: 'on',
  })
  Object.assign(hooked.deps.revocations, { add: tell('revocations') })
  Object.assign(hooked.deps.outbox, { nudge: tell('dispatcher') })
  failing = through(hooked, (path, ask) => (path.split('?')[0] === target?.path ? whileFull(ask) : ask()))
})

async function whileFull(ask: () => Promise<Reply>): Promise<Reply> {
  const { sql } = service.deps
  const before = await dumpWithTrail()
  told.length = 0
  await sql`update disk set is_full = true`
  const reply = await ask()
  await sql`update disk set is_full = false`
  target = { path: target?.path ?? '', before, after: await dumpWithTrail() }
  return reply
}

/** Neither what was asked for nor the word that it was done. */
async function dumpWithTrail(): Promise<string> {
  const events = await service.deps.sql`select id, event from audit_events order by id`
  return `${await dump(service)}${JSON.stringify(events)}`
}

const answers = {
  ...accountAnswers(() => failing),
  ...organizationAnswers(() => failing),
  ...socialAnswers(
    () => failing,
    () => provider,
  ),
}
/** Those whose good answer changes nothing. */
const idle = ['checkSlug', 'getAccessToken', 'hasPermission', 'setActiveSession']
const writing = knownCalls.filter(
  ({ name, call }) =>
    name in answers &&
    !idle.includes(name) &&
    (call.method === 'POST' || name === 'verifyEmail' || name === 'deleteUserCallback'),
)

it.each(writing)('$name whose commit fails has done nothing, set no cookie, told nobody', async ({ name, path }) => {
  target = { path, before: '', after: '' }
  const { status, setCookies, headers } = await answers[name]!()
  expect([status, setCookies, headers.has('set-auth-token')]).toEqual([500, [], false])
  expect(told).toEqual([])
  expect(target.before).not.toBe('')
  expect(target.after).toBe(target.before)
})
