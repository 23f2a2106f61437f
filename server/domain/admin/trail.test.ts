import { describe, expect, it } from 'vitest'
import { actingAs, adminOf, somebody } from '../../testing/admins.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Json, Reply } from '../../testing/visitor.ts'

const service = useTestService()

interface Act {
  readonly act: () => Promise<Reply>
  readonly adminId: string
  readonly userId: string | null
}

const by = async (name: string, more: object = {}, before = async (_userId: string) => {}): Promise<Act> => {
  const [admin, user] = [await adminOf(service), await somebody(service)]
  await before(user.id)
  return {
    act: () => admin.post(`/admin/${name}`, { userId: user.id, ...more }),
    adminId: admin.id,
    userId: user.id,
  }
}

const keepOut = async (userId: string) => {
  await service.deps.sql`update users set banned = true, ban_reason = 'Spam' where id = ${userId}`
}

/** Each act, its row, and how many statements it takes, with the session's. */
const acts: Record<string, readonly [() => Promise<Act>, event: string, details: object, statements: number]> = {
  createUser: [
    async () => {
      const admin = await adminOf(service)
      const body = { email: `new-${crypto.randomUUID()}@example.com`, password: testPassword, name: 'New' }
      return { act: () => admin.post('/admin/create-user', body), adminId: admin.id, userId: null }
    },
    'user-created',
    { role: 'user' },
    4,
  ],
  updateManagedUser: [() => by('update-user', { data: { name: 'Other' } }), 'user-updated', { fields: 'name' }, 5],
  setRole: [() => by('set-role', { role: 'admin' }), 'user-role-changed', { from: 'user', to: 'admin' }, 5],
  banUser: [() => by('ban-user', { banReason: 'Spam', banExpiresIn: 60 }), 'user-banned', { seconds: 60 }, 5],
  unbanUser: [() => by('unban-user', {}, keepOut), 'user-unbanned', {}, 5],
  impersonateUser: [() => by('impersonate-user'), 'impersonation-started', { seconds: 3600 }, 4],
  setUserPassword: [
    () => by('set-user-password', { newPassword: 'another horse battery staple' }),
    'user-password-set',
    {},
    5,
  ],
  removeUser: [() => by('remove-user'), 'user-removed', {}, 7],
  revokeUserSessions: [() => by('revoke-user-sessions'), 'user-sessions-revoked', { count: 1 }, 4],
  revokeUserSession: [
    async () => {
      const [admin, user] = [await adminOf(service), await somebody(service)]
      const { id: sessionToken } = (await user.get('/get-session')).body.session
      const act = () => admin.post('/admin/revoke-user-session', { sessionToken })
      return { act, adminId: admin.id, userId: user.id }
    },
    'user-sessions-revoked',
    { count: 1 },
    4,
  ],
}

const rows = (requestId: string | null): Promise<Json[]> => service.deps.sql`
  select event, actor_id, impersonator_id, key_id, is_server, user_id, details, ip_address, user_agent from audit_events
  where request_id = ${requestId}
`

describe.each(Object.keys(acts))('%s', (name) => {
  const [make, event, details, statements] = acts[name]!

  it('has one row in the trail: who, to whom, from where', async () => {
    const { act, adminId, userId } = await make()
    service.statements.forget()
    const { status, headers } = await act()
    const asked = service.statements.list.length
    const told = await rows(headers.get('x-request-id'))
    expect(status).toBe(200)
    const target: unknown = expect.any(String)
    expect(told).toEqual([
      {
        event,
        actorId: adminId,
        impersonatorId: null,
        keyId: null,
        isServer: false,
        userId: userId ?? target,
        details,
        ipAddress: expect.stringMatching(/^10\./),
        userAgent: null,
      },
    ])
    expect(asked).toBe(statements)
  })

  it('has none, and was not done, where the row cannot be written', async () => {
    const { act, userId } = await make()
    const { sql } = service.deps
    const state = () => sql`
      select (select count(*) from users) as users, u.roles, u.banned, (select count(*) from sessions where user_id = u.id) as sessions
      from users u where u.id = coalesce(${userId}, u.id) order by u.id
    `
    const before = await state()
    await sql`alter table audit_events rename to away`
    const { status } = await act()
    await sql`alter table away rename to audit_events`
    expect([status, await state()]).toEqual([500, before])
  })
})

it.each<[string, () => Promise<Act>]>([
  ['an unban of who is not banned', () => by('unban-user')],
  ['the roles that somebody has', () => by('set-role', { role: 'user' })],
])('%s changes nothing, and has no row', async (_what, make) => {
  const { act, userId } = await make()
  const stateOf = () => service.deps.sql`select roles, banned, updated_at from users where id = ${userId}`
  const before = await stateOf()
  const { status, headers } = await act()
  const requestId = headers.get('x-request-id')
  expect([status, await stateOf(), await rows(requestId)]).toEqual([200, before, []])
  const noted = service.logged.filter((line) => line['requestId'] === requestId && 'event' in line)
  expect(noted).toEqual([])
})

it('the end of an impersonation is told, with who acted as whom', async () => {
  const { admin, user } = await actingAs(service)
  const stop = await admin.post('/admin/stop-impersonating')
  const who = { actorId: user.id, impersonatorId: admin.id, userId: user.id }
  expect(await rows(stop.headers.get('x-request-id'))).toMatchObject([{ event: 'impersonation-ended', ...who }])
})

it('a refused act is told in the log', async () => {
  const ann = await somebody(service)
  const { headers } = await ann.post('/admin/ban-user', { userId: ann.id })
  expect(service.logged.filter(({ requestId }) => requestId === headers.get('x-request-id'))).toContainEqual(
    expect.objectContaining({ event: 'permission-refused', userId: ann.id, reason: 'USER_BAN_FORBIDDEN' }),
  )
})
