import { expect, it } from 'vitest'
import { ageSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Json } from '../../testing/visitor.ts'

const service = useTestService()

const elsewhere = async (email: string) => {
  const visitor = service.visitor()
  await visitor.post('/sign-in/email', { email, password: testPassword })
  return { visitor, session: (await visitor.get('/get-session')).body.session as Json }
}

it("shows the caller's sessions, newest first, in two statements; the token of this one, handles of the others", async () => {
  const ann = await service.person()
  await service.person()
  const others = [await elsewhere(ann.email), await elsewhere(ann.email)]
  const { session: own } = (await ann.get('/get-session')).body
  service.statements.forget()
  const { status, body } = await ann.get('/list-sessions')
  expect([status, service.statements.list.length]).toEqual([200, 2])
  const [first, second] = others.map(({ session }) => ({ ...session, token: session.id }))
  expect(body).toEqual([second, first, own])
})

it('never shows a token of another session', async () => {
  const ann = await service.person()
  const other = await elsewhere(ann.email)
  const { text } = await ann.get('/list-sessions')
  expect(text).toContain(other.session.id)
  expect(text).not.toContain(other.session.token)
})

it('gives handles that sign nobody in', async () => {
  const ann = await service.person()
  const { session } = await elsewhere(ann.email)
  const stranger = service.visitor()
  stranger.cookies.set('postern.session_token', session.id)
  expect((await stranger.get('/get-session')).body).toBeNull()
  expect((await stranger.get('/get-session', { authorization: `Bearer ${session.id}` })).body).toBeNull()
})

it('leaves out what has expired and what was made by impersonation', async () => {
  const ann = await service.person()
  await ageSessions(service, ann.email, 8 * 86_400)
  const { visitor } = await elsewhere(ann.email)
  const hidden = await elsewhere(ann.email)
  await service.deps.sql`update sessions set impersonated_by = 'admin' where id = ${hidden.session.id}`
  expect((await visitor.get('/list-sessions')).body).toHaveLength(1)
})

it('shows all of many', async () => {
  const ann = await service.person()
  await service.deps.sql`
    insert into sessions (id, user_id, token_hash, expires_at)
    select 'many-' || n, (select id from users where email = ${ann.email}), decode(md5(n::text), 'hex'), now() + interval '1 d'
    from generate_series(1, 250) n
  `
  expect((await ann.get('/list-sessions')).body).toHaveLength(251)
})
