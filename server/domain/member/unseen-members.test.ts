import { expect, it } from 'vitest'
import { organizationKey } from '../../testing/machines.ts'
import { done, found } from '../../testing/organizations.ts'
import { joinLongAgo } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService()
const acme = useMade(() => found(service))

const day = 86_400_000
const daysAgo = (days: number): Date => new Date(Date.now() - days * day)
const since = daysAgo(30)

/** When somebody who joined 90 days ago was there. */
interface Traces {
  readonly session?: Date
  readonly impersonatedSession?: Date
  readonly event?: { readonly at: Date; readonly lastAt?: Date; readonly keyId?: string; readonly by?: string }
}

async function memberWith(name: string, { event, ...sessions }: Traces): Promise<void> {
  const { sql } = service.deps
  await joinLongAgo(service, acme.id, name)
  const { session, impersonatedSession } = sessions
  const at = session ?? impersonatedSession
  const by = impersonatedSession ? acme.owner.userId : null
  if (at)
    await sql`
      insert into sessions (id, token_hash, user_id, impersonated_by, created_at, updated_at, expires_at)
      values (${name}, ${name}, ${name}, ${by}, ${daysAgo(80)}, ${at}, now() + interval '1 hour')
    `
  if (event)
    await sql`
      insert into audit_events (id, event, request_id, actor_id, user_id, impersonator_id, key_id, created_at, last_at)
      values (${name}, 'sign-in-done', 'r', ${name}, ${name}, ${event.by ?? null}, ${event.keyId ?? null}, ${event.at},
        ${event.lastAt ?? null})
    `
}

const query = (more: Record<string, string> = {}): string =>
  `/organization/list-members?${new URLSearchParams({
    organizationId: acme.id,
    filterField: 'lastSeenAt',
    filterOperator: 'lt',
    filterValue: since.toISOString(),
    ...more,
  }).toString()}`

async function unseen(more?: Record<string, string>): Promise<readonly string[]> {
  const { members, total } = await done(acme.owner.get(query(more)))
  const names: string[] = members.map(({ user }: { user: { name: string } }) => user.name)
  expect(total).toBe(names.length)
  return names.toSorted()
}

it('finds people who left no trace since that time, and nobody else', async () => {
  const { sql } = service.deps
  await memberWith('never-here', {})
  await memberWith('long-gone', { event: { at: daysAgo(60) }, session: daysAgo(31) })
  await memberWith('impersonated', { impersonatedSession: daysAgo(1) })
  await memberWith('acted-by-another', { event: { at: daysAgo(1), by: acme.owner.userId } })
  await memberWith('acted-by-key', { event: { at: daysAgo(1), keyId: 'k' } })
  await memberWith('signed-in', { event: { at: daysAgo(3) } })
  await memberWith('signed-in-again', {
    event: { at: new Date(since.getTime() - 30_000), lastAt: new Date(since.getTime() + 5000) },
  })
  await memberWith('renewed', { event: { at: daysAgo(60) }, session: daysAgo(2) })
  await memberWith('joined-lately', {})
  await sql`update members set created_at = ${daysAgo(10)} where id = 'joined-lately'`
  const { userId } = await organizationKey(acme, { name: 'robot' })
  await sql`update members set created_at = ${daysAgo(90)} where user_id in (${userId}, ${acme.owner.userId})`
  const gone = ['acted-by-another', 'acted-by-key', 'impersonated', 'long-gone', 'never-here']
  expect(await unseen()).toEqual(gone)
  expect(await unseen({ search: 'gone' })).toEqual(['long-gone'])
})

it('counts the moment itself with lte', async () => {
  await memberWith('to-the-moment', { event: { at: since } })
  const asked = { search: 'to-the-moment' }
  expect([await unseen(asked), await unseen({ ...asked, filterOperator: 'lte' })]).toEqual([[], ['to-the-moment']])
})

it('is only for members who may remove members', async () => {
  const refused = await (await acme.join('member')).get(query())
  expect([refused.status, refused.body.code]).toEqual([403, 'YOU_ARE_NOT_ALLOWED_TO_SEE_WHEN_MEMBERS_WERE_LAST_SEEN'])
  expect((await (await acme.join('admin')).get(query())).status).toBe(200)
})

it.each([
  [{ filterOperator: 'gt' }, 'filterOperator', 'lt or lte for lastSeenAt'],
  [{ filterOperator: 'eq' }, 'filterOperator', 'lt or lte for lastSeenAt'],
  [{ filterValue: 'soon' }, 'filterValue', 'a date, like 2026-01-31'],
  [{ sortBy: 'lastSeenAt' }, 'sortBy', ''],
])('refuses %o', async (more, field, expected) => {
  const { status, body } = await acme.owner.get(query(more))
  expect([status, body.details[0].path]).toEqual([400, field])
  expect(JSON.stringify(body.details[0])).toContain(expected)
})
