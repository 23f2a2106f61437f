import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendFormTo } from '../../pages/testing/forms.ts'
import { ageDevices, approve, startWaiting } from '../../testing/device.ts'
import { userOf } from '../../testing/mailed.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

let service: TestService
let strict: TestService
beforeAll(async () => {
  service = await createTestService()
  strict = await service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' })
})
afterAll(() => service.stop())

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
    const approveIt = () => sendFormTo('/page/device/decision', browser, { decision: 'approve', as: userId })
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
})
