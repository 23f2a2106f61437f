import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type Founded, found } from '../../testing/organizations.ts'
import { createSecurityLog } from '../../testing/security-log.ts'
import { createTestService, type TestService } from '../../testing/service.ts'

const log = createSecurityLog()
let service: TestService
let acme: Founded
beforeAll(async () => {
  service = log.watch(await createTestService())
  acme = await found(service)
  await service.deps.sql`create sequence commits`
})
afterEach(() => service.deps.sql`drop trigger if exists undo on audit_events`)
afterAll(() => service.stop())

/** Undoes what tells an event, at the very end of it, with an error of this code; so many times. */
const undo = (code: string, times: number) =>
  service.deps.sql
    .unsafe(
      `select setval('commits', 1, false);
      create or replace function undo() returns trigger language plpgsql as $$ begin
        if nextval('commits') <= ${times} then raise exception 'undone' using errcode = '${code}'; end if;
        return null;
      end $$;
      create constraint trigger undo after insert on audit_events
        deferrable initially deferred for each row execute function undo()`,
    )
    .simple()

const update = () =>
  acme.owner.post('/organization/update-team', { teamId: acme.teamId, data: { name: `Red ${crypto.randomUUID()}` } })
const create = () =>
  acme.owner.post('/organization/create-team', { name: crypto.randomUUID(), organizationId: acme.id })

it.each([
  ['a statement', update, 'team-updated'],
  ['a transaction', create, 'team-created'],
])('%s that is undone leaves neither a row nor a line; one that is kept leaves both', async (_name, act, event) => {
  await undo('P0001', 1)
  const undone = await log.told(act)
  expect([undone.reply.status, undone.events]).toEqual([500, []])
  const kept = await log.told(act)
  expect([kept.reply.status, kept.events]).toEqual([200, [event]])
})

it('a transaction that is begun again is told once', async () => {
  await undo('40001', 2)
  const { reply, events } = await log.told(create)
  expect([reply.status, events]).toEqual([200, ['team-created']])
})

it.each([`update audit_events set event = 'sign-in-done'`, 'delete from audit_events', 'truncate audit_events'])(
  'what was told stays as it is, whoever asks the database: %s',
  async (statement) => {
    await expect(service.deps.sql.unsafe(statement)).rejects.toThrow('audit_events is append-only')
  },
)
