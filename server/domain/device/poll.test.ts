import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { deviceGrantType } from '../../../shared/device.ts'
import { ageDevices, approve, clientId, pollAs, startWaiting } from '../../testing/device.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { userOf } from '../../testing/mailed.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()

const errorOf = ({ status, body }: { status: number; body: { error?: string } }) => `${status} ${body.error}`

/** Seconds by which a busy machine is not late, and fewer than those that tell of a clock that was set back. */
const aWhile = 55
/** What was polled last is then in the future: however slow the machine, each poll comes too soon. */
const stopClock = () => ageDevices(service, -aWhile)

describe('polling', () => {
  it('too soon is told so, each time makes the interval longer, up to a minute, and changes nothing else', async () => {
    const { poll } = await startWaiting(service)
    await poll()
    await stopClock()
    const intervals: number[] = []
    for (let count = 0; count < 14; count += 1) {
      expect(errorOf(await poll())).toBe('400 slow_down')
      const [row] = await service.deps
        .sql`select max(poll_interval) as interval from device_requests where last_polled_at > now()`
      intervals.push(row?.interval)
    }
    expect(intervals).toEqual([10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 60, 60, 60])
    await ageDevices(service, 60 + aWhile)
    expect(errorOf(await poll())).toBe('400 authorization_pending')
  })

  it('is in time once the longer interval is over, and not before', async () => {
    const { poll } = await startWaiting(service)
    await poll()
    await stopClock()
    await poll()
    await ageDevices(service, aWhile + 10)
    expect(errorOf(await poll())).toBe('400 authorization_pending')
  })

  it('does not wait for a clock of the database that was set back', async () => {
    const { poll } = await startWaiting(service)
    await poll()
    await ageDevices(service, -3600)
    expect(errorOf(await poll())).toBe('400 authorization_pending')
    expect(errorOf(await poll())).toBe('400 slow_down')
  })

  it('tells once that the time is over, and once that it was refused', async () => {
    const late = await startWaiting(service)
    await ageDevices(service, 600)
    expect([errorOf(await late.poll()), errorOf(await late.poll())]).toEqual(['400 expired_token', '400 invalid_grant'])
    const [ann, refused] = [await service.person(), await startWaiting(service)]
    await ann.get(`/device?user_code=${refused.userCode}`)
    await ann.post('/device/deny', { userCode: refused.userCode })
    expect([errorOf(await refused.poll()), errorOf(await refused.poll())]).toEqual([
      '400 access_denied',
      '400 invalid_grant',
    ])
  })

  it('with the cookies of a session, or with its token, leaves that session as it was', async () => {
    const [ann, bob] = [await service.person(), await service.person()]
    const { token } = (await bob.get('/get-session')).body.session
    for (const headers of [undefined, { authorization: `Bearer ${token}` }]) {
      const asked = await startWaiting(service)
      await approve(ann, asked)
      const fields = { grant_type: deviceGrantType, client_id: clientId, device_code: asked.deviceCode }
      const { status, setCookies } = await (headers ? service.visitor() : bob).post('/device/token', fields, headers)
      expect([status, setCookies]).toEqual([200, []])
      expect((await bob.get('/list-sessions')).status).toBe(200)
    }
  })

  it('while the link to the mailbox is opened elsewhere gets a session that has proved it, too', async () => {
    const [ann, asked] = [await service.person(), await startWaiting(service)]
    await approve(ann, asked)
    const { id } = await userOf(service, ann.email)
    let polled: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from users where id = ${id} for no key update`
      polled = asked.poll()
      await untilWaiting(service)
      await tx`
        update accounts set mailbox_proof = 'link', mailbox_proven_at = now(), proven_email = ${ann.email} where user_id = ${id}
      `
    })
    const authorization = `Bearer ${(await polled)?.body.access_token}`
    expect((await service.visitor().get('/get-session', { authorization })).body.session.addressProven).toBe(true)
  })

  it('fifty times at once at each of two services after the approval gets one session', async () => {
    const [ann, asked, other] = [await service.person(), await startWaiting(service), await service.sibling()]
    await approve(ann, asked)
    const before = (await ann.get('/list-sessions')).body.length
    const polls = (machine: Visitor) => Array.from({ length: 50 }, () => pollAs(machine, asked.deviceCode))
    const replies = await Promise.all([...polls(asked.machine), ...polls(other.visitor())])
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(replies.filter(({ status }) => status !== 200).map(errorOf))).toEqual(new Set(['400 invalid_grant']))
    expect((await ann.get('/list-sessions')).body).toHaveLength(before + 1)
  })

  it('needs the verifier of the one who asked', async () => {
    const verifier = 'v'.repeat(64)
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const asked = await startWaiting(service, { code_challenge, code_challenge_method: 'S256' })
    await approve(await service.person(), asked)
    for (const stolen of [{}, { code_verifier: 'w'.repeat(64) }])
      expect(errorOf(await asked.poll(stolen))).toBe('400 invalid_grant')
    expect((await asked.poll({ code_verifier: verifier })).status).toBe(200)
  })

  it('by another client gets nothing', async () => {
    const asked = await startWaiting(service)
    await approve(await service.person(), asked)
    expect((await asked.poll({ client_id: 'another' })).body.error_description).toBe('Client ID mismatch')
    expect((await asked.poll()).status).toBe(200)
  })

  it('needs the code that the approving browser brought, where the request named a page of its own machine', async () => {
    const [ann, ways] = [await service.person(), { redirect_uri: 'http://127.0.0.1:49152/done', state: 'a b&c' }]
    const asked = await startWaiting(service, ways)
    const { body } = await approve(ann, asked)
    const led = new URL(body.redirect_uri)
    const elsewhere = new URL((await approve(ann, await startWaiting(service, ways))).body.redirect_uri)
    expect([led.origin, led.pathname, led.searchParams.get('state')]).toEqual([
      'http://127.0.0.1:49152',
      '/done',
      'a b&c',
    ])
    // What the one gets who sent the link to somebody else: no more than before the approval.
    expect(errorOf(await asked.poll())).toBe('400 authorization_pending')
    await ageDevices(service, 5)
    for (const code of ['x'.repeat(43), elsewhere.searchParams.get('code') ?? ''])
      expect(errorOf(await asked.poll({ code }))).toBe('400 invalid_grant')
    expect((await asked.poll({ code: led.searchParams.get('code') ?? '' })).status).toBe(200)
  })
})
