import { describe, expect, it } from 'vitest'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()

const rowOf = async (email: string) => ({ ...(await service.deps.sql`select * from users where email = ${email}`)[0] })

describe('update-user', () => {
  it('changes name and image, and says so to the next get-session', async () => {
    const ann = await service.person()
    const { user: before } = (await ann.get('/get-session')).body
    service.statements.forget()
    const { status, body } = await ann.post('/update-user', { name: '', image: 'https://example.com/a.png' })
    expect([status, body, service.statements.list.length]).toEqual([200, { status: true }, 2])
    const { user } = (await ann.get('/get-session')).body
    expect(user).toEqual({ ...before, name: '', image: 'https://example.com/a.png', updatedAt: user.updatedAt })
    expect(Date.parse(user.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
  })

  it('takes the image away with null, and leaves what is not named', async () => {
    const ann = await service.person()
    await ann.post('/update-user', { image: 'https://example.com/a.png' })
    await ann.post('/update-user', { name: 'Anna' })
    expect((await ann.get('/get-session')).body.user).toMatchObject({
      name: 'Anna',
      image: 'https://example.com/a.png',
    })
    await ann.post('/update-user', { image: null })
    expect((await ann.get('/get-session')).body.user).toMatchObject({ name: 'Anna', image: null })
  })

  it('issues the session cookie again, with the life that is left', async () => {
    const ann = await service.person()
    const { setCookies, headers } = await ann.post('/update-user', { name: 'Anna' })
    expect(setCookies[0]).toMatch(/^postern\.session_token=[^;]+; Max-Age=(604800|604[5-7]\d\d); /)
    expect(headers.get('set-auth-token')).toBe(ann.cookies.get('postern.session_token'))
  })

  it('keeps a session that shall not be remembered as it is', async () => {
    const ann = await service.person()
    await ann.post('/sign-in/email', { email: ann.email, password: testPassword, rememberMe: false })
    const { setCookies } = await ann.post('/update-user', { name: 'Anna' })
    expect(setCookies.map((line) => line.replace(/^([^=]+=)[^;]+/, '$1…'))).toEqual([
      'postern.session_token=…; Path=/; HttpOnly; SameSite=Lax',
      'postern.dont_remember=…; Path=/; HttpOnly; SameSite=Lax',
    ])
  })

  it.each([
    ['nothing', {}],
    ['unknown keys', { nickname: 'A', locale: 'de' }],
    ['an empty email', { email: '' }],
    [
      'what a person may not change',
      {
        id: 'mine',
        emailVerified: true,
        role: 'admin',
        banned: true,
        banReason: 'x',
        banExpires: null,
        createdAt: '2000-01-01T00:00:00.000Z',
        updatedAt: '2000-01-01T00:00:00.000Z',
        userId: 'mine',
        activeOrganizationId: 'mine',
        password: 'another password',
      },
    ],
  ])('of %s changes nothing', async (_name, input) => {
    const ann = await service.person()
    const before = await rowOf(ann.email)
    expect(await ann.post('/update-user', input)).toMatchObject({ status: 200, body: { status: true } })
    expect(await rowOf(ann.email)).toEqual(before)
    expect((await ann.get('/get-session')).body.session.activeOrganizationId).toBeNull()
  })

  it.each([
    ['an email', { email: 'new@example.com' }, 'EMAIL_CAN_NOT_BE_UPDATED'],
    ['an email of any kind', { name: 'Anna', email: { a: 1 } }, 'EMAIL_CAN_NOT_BE_UPDATED'],
    ['null for the name', { name: null }, 'VALIDATION_ERROR'],
    ['a number for the image', { image: 1 }, 'VALIDATION_ERROR'],
    ['a NUL', { name: 'A\0' }, 'VALIDATION_ERROR'],
  ])('refuses %s and changes nothing', async (_name, input, code) => {
    const ann = await service.person()
    const before = await rowOf(ann.email)
    expect(await ann.post('/update-user', input)).toMatchObject({ status: 400, body: { code }, setCookies: [] })
    expect(await rowOf(ann.email)).toEqual(before)
  })
})
