import { describe, expect, it } from 'vitest'
import { linkTo, mailsTo, verifiedPerson } from '../../testing/mailed.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const [older, newer] = ['Older', 'Newer'].map((word) => `${word}-k3Jx9vQ2mWz7Lr5TbN8yHd4FsG6p`) as [string, string]
const another = 'another horse battery staple'
const refused = { status: 401, body: { code: 'INVALID_TOKEN', message: 'invalid_token' }, setCookies: [] }

const service = useTestService({ SECRET: older })

describe('secrets that rotate', () => {
  const during = useMade(() => service.sibling({ SECRETS: `${newer},${older}` }))
  const after = useMade(() => service.sibling({ SECRETS: newer }))
  const verify = (on: TestService, token: string): Promise<Reply> => on.visitor().get(`/verify-email?token=${token}`)

  it('let a mailed link work on while the old one is listed, and no longer', async () => {
    const people = [await service.person(), await service.person()]
    const links = []
    for (const { email } of people) {
      await service.visitor().post('/send-verification-email', { email })
      links.push((await linkTo(service, email, 'verify-email')).token)
    }
    expect((await verify(during, links[0]!)).status).toBe(200)
    expect(await verify(after, links[1]!)).toMatchObject(refused)
  })

  it('sign new links with the new one', async () => {
    const { email } = await service.person()
    await during.visitor().post('/send-verification-email', { email })
    const { token } = await linkTo(during, email, 'verify-email')
    expect(await verify(service, token)).toMatchObject(refused)
    expect((await verify(after, token)).status).toBe(200)
  })

  it('let a mail that waits be read while the old one is listed; the new one seals new mails', async () => {
    const waiting = (await service.person()).email
    await service.visitor().post('/forget-password', { email: waiting })
    await service.deps.sql`delete from outbox where user_id <> (select id from users where email = ${waiting})`
    expect(await mailsTo(during, waiting)).toHaveLength(1)
    await expect(mailsTo(after, waiting)).rejects.toThrow('No configured secret can decrypt this mail')
    await service.deps.sql`delete from outbox`
    await during.visitor().post('/forget-password', { email: waiting })
    expect(await mailsTo(after, waiting)).toHaveLength(1)
    await expect(mailsTo(service, waiting)).rejects.toThrow('No configured secret can decrypt this mail')
    await service.deps.sql`delete from outbox`
  })

  it('leave a reset link alone: it is no signature', async () => {
    const { email } = await verifiedPerson(service)
    await service.visitor().post('/forget-password', { email })
    const { token } = await linkTo(service, email, 'reset-password')
    const reply = await after.visitor().post('/reset-password', { token, newPassword: another })
    expect(reply.status).toBe(200)
    expect((await after.visitor().post('/sign-in/email', { email, password: testPassword })).status).toBe(401)
  })
})
