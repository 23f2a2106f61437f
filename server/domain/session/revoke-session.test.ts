import { describe, expect, it } from 'vitest'
import { ageSessions, countSessions } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

const elsewhere = async (email: string) => {
  const visitor = service.visitor()
  const { body } = await visitor.post('/sign-in/email', { email, password: testPassword })
  const { id } = (await visitor.get('/get-session')).body.session
  return { visitor, token: body.token as string, handle: id as string }
}

describe('revoke-session', () => {
  it.each(['token', 'handle'] as const)('ends another session by its %s, in three statements', async (name) => {
    const ann = await service.person()
    const other = await elsewhere(ann.email)
    service.statements.forget()
    const reply = await ann.post('/revoke-session', { token: other[name] })
    expect(reply).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    expect(service.statements.list).toHaveLength(3)
    expect((await other.visitor.get('/get-session')).body).toBeNull()
    expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  })

  it('ends this very session too', async () => {
    const ann = await service.person()
    const { token } = (await ann.get('/get-session')).body.session
    expect((await ann.post('/revoke-session', { token })).body).toEqual({ status: true })
    expect((await ann.get('/list-sessions')).status).toBe(401)
  })

  it.each(['token', 'handle'] as const)("refuses another user's session by its %s, and leaves it", async (name) => {
    const [ann, bob] = await Promise.all([service.person(), service.person()])
    const other = await elsewhere(bob.email)
    const reply = await ann.post('/revoke-session', { token: other[name] })
    expect(reply).toMatchObject({ status: 401, text: '', setCookies: [] })
    expect((await other.visitor.get('/get-session')).body.user.email).toBe(bob.email)
  })

  it.each(['', 'unknown', 'A'.repeat(43), "' or true --", '\u{1f600}'])('knows no session %j', async (token) => {
    const ann = await service.person()
    const reply = await ann.post('/revoke-session', { token })
    expect(reply).toMatchObject({ status: 400, body: { code: 'SESSION_NOT_FOUND', message: 'Session not found' } })
    expect(await countSessions(service, ann.email)).toBe(1)
  })

  it("takes an unknown session for an ended one for clients of 1.7, and leaves another user's", async () => {
    const newer = await service.sibling({ CLIENT_API: '1.7' })
    const [ann, bob] = [newer.copyOf(await service.person()), await service.person()]
    const { token } = (await bob.get('/get-session')).body.session
    for (const named of ['unknown', token])
      expect(await ann.post('/revoke-session', { token: named })).toMatchObject({ status: 200, body: { status: true } })
    expect((await bob.get('/get-session')).body.user.email).toBe(bob.email)
    expect((await newer.visitor().post('/revoke-session', { token })).status).toBe(401)
  })

  it('checks its input before it asks who calls', async () => {
    expect(await service.visitor().post('/revoke-session', {})).toMatchObject({ status: 400 })
    expect(await service.visitor().post('/revoke-session', { token: 'x' })).toMatchObject({ status: 401 })
  })
})

describe('revoke-sessions', () => {
  it('ends all sessions of the caller, in three statements, and nobody else', async () => {
    const [ann, bob] = await Promise.all([service.person(), service.person()])
    const other = await elsewhere(ann.email)
    service.statements.forget()
    const reply = await ann.post('/revoke-sessions')
    expect(reply).toMatchObject({ status: 200, body: { status: true }, setCookies: [] })
    expect(service.statements.list).toHaveLength(3)
    for (const visitor of [ann, other.visitor]) expect((await visitor.get('/get-session')).body).toBeNull()
    expect((await bob.get('/get-session')).body.user.email).toBe(bob.email)
  })

  it('needs no body', async () => {
    const ann = await service.person()
    expect((await ann.send('/revoke-sessions', { method: 'POST' })).body).toEqual({ status: true })
  })
})

describe('revoke-other-sessions', () => {
  it('ends all but this one, in three statements', async () => {
    const [ann, bob] = await Promise.all([service.person(), service.person()])
    const others = [await elsewhere(ann.email), await elsewhere(ann.email)]
    service.statements.forget()
    expect(await ann.post('/revoke-other-sessions')).toMatchObject({ status: 200, body: { status: true } })
    expect(service.statements.list).toHaveLength(3)
    for (const { visitor } of others) expect((await visitor.get('/get-session')).body).toBeNull()
    for (const visitor of [ann, bob]) expect((await visitor.get('/get-session')).body).not.toBeNull()
  })

  it('takes along what has expired', async () => {
    const ann = await service.person()
    await ageSessions(service, ann.email, 8 * 86_400)
    const { visitor } = await elsewhere(ann.email)
    await visitor.post('/revoke-other-sessions')
    expect(await countSessions(service, ann.email)).toBe(1)
  })
})
