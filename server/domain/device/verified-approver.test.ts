import { describe, expect, it } from 'vitest'
import { decideInBrowser, sendFormTo } from '../../pages/testing/forms.ts'
import { ageDevices, approve, startWaiting } from '../../testing/device.ts'
import { userOf } from '../../testing/mailed.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))

/** Somebody who signed in before addresses had to be verified. */
async function unverified(): Promise<{ browser: Visitor; email: string; userId: string }> {
  const [person, browser] = [await service.person(), strict.visitor()]
  for (const [name, value] of person.cookies) browser.cookies.set(name, value)
  return { browser, email: person.email, userId: (await userOf(service, person.email)).id }
}

const refusalsIn = async (reply: Reply) =>
  (
    await service.deps.sql<{ name: string; userId: string | null; reason: string }[]>`
      select event as name, user_id, details->>'reason' as reason from audit_events
      where request_id = ${reply.headers.get('x-request-id')}
    `
  ).map(({ name, userId, reason }) => [name, userId, reason])
const mailsTo = async (userId: string) =>
  (await service.deps.sql`select from verifications where user_id = ${userId} and identifier like 'verify-email:%'`)
    .count
const refusalRows = async (userId: string) =>
  (await service.deps.sql`select from audit_events where event = 'sign-in-failed' and user_id = ${userId}`).count
const poll = async (asked: Awaited<ReturnType<typeof startWaiting>>): Promise<Reply> => {
  await ageDevices(service, 5)
  return asked.poll()
}

describe('where addresses have to be verified', () => {
  it('whoever approves in an application without that is told so, is mailed a link, and can approve afterwards', async () => {
    const [{ browser, email, userId }, asked] = [await unverified(), await startWaiting(strict)]
    const mails = await mailsTo(userId)
    const refused = await approve(browser, asked)
    expect([refused.status, refused.body.code]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    expect(await refusalsIn(refused)).toEqual([['sign-in-failed', userId, 'EMAIL_NOT_VERIFIED']])
    expect(await mailsTo(userId)).toBe(mails + 1)
    expect((await poll(asked)).body.error).toBe('authorization_pending')
    await proveAddress(service.deps.sql, email)
    expect((await approve(browser, asked)).status).toBe(200)
    expect((await poll(asked)).status).toBe(200)
  })

  it('is told so on our page, too', async () => {
    const [{ browser, email, userId }, asked] = [await unverified(), await startWaiting(strict)]
    await sendFormTo('/page/device', browser, { user_code: asked.userCode })
    const approveIt = () => decideInBrowser(browser, { decision: 'approve', as: userId })
    const refused = await approveIt()
    expect([refused.status, refused.text.includes('This address is not verified yet.')]).toEqual([403, true])
    expect(await refusalsIn(refused)).toEqual([['sign-in-failed', userId, 'EMAIL_NOT_VERIFIED']])
    expect((await poll(asked)).body.error).toBe('authorization_pending')
    await proveAddress(service.deps.sql, email)
    expect((await approveIt()).status).toBe(200)
    expect((await poll(asked)).status).toBe(200)
  })

  it('may refuse the sign-in all the same', async () => {
    const [{ browser }, asked] = [await unverified(), await startWaiting(strict)]
    await browser.get(`/device?user_code=${asked.userCode}`)
    expect((await browser.post('/device/deny', { userCode: asked.userCode })).status).toBe(200)
    expect((await poll(asked)).body.error).toBe('access_denied')
  })

  it('a machine whose approver lost the verification meanwhile is denied, once, and the trail says so', async () => {
    const [{ browser, email, userId }, asked] = [await unverified(), await startWaiting(strict)]
    await proveAddress(service.deps.sql, email)
    expect((await approve(browser, asked)).status).toBe(200)
    await service.deps.sql`update users set email_verified = false where id = ${userId}`
    const denied = await poll(asked)
    expect([denied.status, denied.body.error]).toEqual([400, 'access_denied'])
    expect(await refusalsIn(denied)).toEqual([['sign-in-failed', userId, 'DEVICE_DENIED']])
    expect((await poll(asked)).body.error).toBe('invalid_grant')
  })

  it('is told so of the request that they approve, whatever became of others that the same session looked at', async () => {
    const [{ browser }, first, second] = [await unverified(), await startWaiting(strict), await startWaiting(strict)]
    await browser.get(`/device?user_code=${first.userCode}`)
    expect((await browser.post('/device/deny', { userCode: first.userCode })).status).toBe(200)
    const refused = await approve(browser, second)
    expect([refused.status, refused.body.code]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
  })

  it('is mailed no more links than a mailbox takes, however often they approve', async () => {
    const sending = { RATE_LIMIT: 'on', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'no-reply@example.com' }
    const limited = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on', ...sending })
    const [person, browser] = [await unverified(), limited.visitor()]
    for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value)
    const asked = await startWaiting(limited)
    const mails = await mailsTo(person.userId)
    for (let n = 0; n < 6; n++) expect((await approve(browser, asked)).body.code).toBe('EMAIL_NOT_VERIFIED')
    expect(await mailsTo(person.userId)).toBe(mails + 3)
    expect(await refusalRows(person.userId)).toBeLessThan(3)
  })
})

it('where no address has to be verified, whoever comes second is told that it is decided, and mailed nothing', async () => {
  const person = await service.person()
  const { id } = await userOf(service, person.email)
  const other = await startWaiting(service)
  await person.get(`/device?user_code=${other.userCode}`)
  const asked = await startWaiting(service)
  await person.get(`/device?user_code=${asked.userCode}`)
  const mails = await mailsTo(id)
  const approveIt = () => person.post('/device/approve', { userCode: asked.userCode })
  const replies = await Promise.all(Array.from({ length: 12 }, approveIt))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  const refused = replies.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.error])
  expect(refused).toEqual(refused.map(() => [400, 'invalid_request']))
  expect(await mailsTo(id)).toBe(mails)
})
