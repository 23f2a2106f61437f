import { describe, expect, it } from 'vitest'
import { approve, clientId, startWaiting } from '../../testing/device.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import { cookieHeader, type Reply } from '../../testing/visitor.ts'

const limits = {
  userCodesInAll: { max: 30 },
  deviceStarts: { max: 20 },
  deviceStartsFromSite: { max: 30 },
  deviceStartsInAll: { max: 120 },
}
const service = useTestService({ RATE_LIMIT: 'on' }, { limits })

const letters = 'BCDFGHJKLMNPQRSTVWXZ'
/** A code that is most probably nobody's. */
const guess = (): string =>
  Array.from({ length: 8 }, () => letters[Math.floor(Math.random() * letters.length)]).join('')
const statusOf = ({ status }: Reply): number => status
/** What is counted in memory, call by call, is not what these are about. */
const later = () => service.sibling()

describe('guessing at user codes', () => {
  it('ends after five wrong ones, also with the right one, and two thousand get no further', async () => {
    const { userCode } = await startWaiting(service)
    const network = '198.51.100.1'
    const statuses: number[] = []
    // A new process each time, whose flood guard has seen nothing yet.
    for (let batch = 0; batch < 20; batch += 1) {
      const visitor = (batch % 5 === 0 ? await later() : service).visitor(network)
      const replies = await Promise.all(Array.from({ length: 100 }, () => visitor.get(`/device?user_code=${guess()}`)))
      statuses.push(...replies.map(statusOf))
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(5)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1995)
    const right = await (await later()).visitor(network).get(`/device?user_code=${userCode}`)
    expect(right.status).toBe(429)
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(500)
    expect((await service.visitor().get(`/device?user_code=${userCode}`)).status).toBe(200)
  })

  it('ends for a user after five, from however many networks and sessions', async () => {
    const ann = await service.person()
    const again = service.visitor()
    await again.post('/sign-in/email', { email: ann.email, password: testPassword })
    const tries: number[] = []
    for (let index = 0; index < 8; index += 1) {
      const cookie = cookieHeader((index % 2 === 0 ? ann : again).cookies)
      tries.push(statusOf(await service.visitor().get(`/device?user_code=${guess()}`, { cookie })))
    }
    expect(tries).toEqual([...Array(5).fill(400), ...Array(3).fill(429)])
  })

  it('counts at every call that takes a code', async () => {
    const ann = await service.person()
    const visitor = service.visitor('198.51.100.2')
    const cookie = cookieHeader(ann.cookies)
    const statuses = [
      await visitor.post('/device/approve', { userCode: guess() }, { cookie }),
      await visitor.post('/device/deny', { userCode: guess() }, { cookie }),
      await visitor.get(`/device?user_code=${guess()}`),
      await visitor.get(`/device?user_code=${guess()}`),
      await visitor.get(`/device?user_code=${guess()}`),
      await visitor.get(`/device?user_code=${guess()}`),
    ].map(statusOf)
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429])
  })

  it('is not what a right code, or a slip of the hand, counts as', async () => {
    const visitor = service.visitor('198.51.100.3')
    for (let index = 0; index < 10; index += 1) {
      const { userCode } = await startWaiting(service)
      expect((await visitor.get(`/device?user_code=${userCode}`)).status).toBe(200)
      expect((await visitor.get('/device?user_code=BCDF')).status).toBe(400)
    }
    expect((await visitor.get(`/device?user_code=${guess()}`)).status).toBe(400)
  })

  it('is nothing that a foreign page can have its visitors do, nor can it bind them to a code', async () => {
    const { userCode } = await startWaiting(service)
    const ann = await service.person()
    const picture = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', cookie: cookieHeader(ann.cookies) }
    const visitor = service.visitor('198.51.100.4')
    for (const code of [userCode, guess(), guess(), guess(), guess(), guess(), guess()])
      for (const from of [{ referer: 'https://evil.test/' }, {}])
        expect((await visitor.get(`/device?user_code=${code}`, { ...picture, ...from })).body.code).toBe(
          'INVALID_ORIGIN',
        )
    const bob = await service.person()
    const cookie = cookieHeader(bob.cookies)
    const seen = await visitor.get(`/device?user_code=${userCode}`, { 'sec-fetch-site': 'same-origin', cookie })
    expect([seen.status, seen.body.client_id]).toEqual([200, clientId])
  })

  it('from everywhere at once is told in the log, once', async () => {
    const warned = () => service.logged.filter(({ level, count }) => level === 40 && count === 30)
    const alarms = warned().length
    await service.deps.sql`delete from rate_limits`
    for (let index = 0; index < 40; index += 1) await service.visitor().get(`/device?user_code=${guess()}`)
    expect(warned()).toHaveLength(alarms + 1)
    expect(service.logged.filter(({ event }) => event === 'user-code-wrong').length).toBeGreaterThanOrEqual(40)
  })
})

describe('sign-ins that wait', () => {
  const waiting = async () => (await service.deps.sql`select from device_requests`).count

  it('are few of one network', async () => {
    await service.deps.sql`delete from rate_limits`
    const before = await waiting()
    const visitor = service.visitor('2001:db8:1::1')
    const replies = await Promise.all(
      Array.from({ length: 60 }, () => visitor.post('/device/code', { client_id: clientId })),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(await waiting()).toBe(before + 20)
  })

  it('are few of one site, however many networks it has, and leave IPv4 its own share', async () => {
    await service.deps.sql`delete from rate_limits`
    const start = (address: string) => service.visitor(address).post('/device/code', { client_id: clientId })
    const ofOne = await Promise.all(Array.from({ length: 40 }, (_, index) => start(`2001:db8:1:${index}::1`)))
    expect(ofOne.filter(({ status }) => status === 200)).toHaveLength(30)
    const ofMany = await Promise.all(Array.from({ length: 100 }, (_, index) => start(`2001:db8:${index + 2}::1`)))
    expect(ofMany.filter(({ status }) => status === 200)).toHaveLength(90)
    expect((await start('2001:db8:ffff::1')).status).toBe(429)
    expect((await start('198.51.100.77')).status).toBe(200)
  })

  it('are bounded in all, however many networks ask', async () => {
    await service.deps.sql`delete from rate_limits`
    await service.deps.sql`delete from device_requests`
    for (let batch = 0; batch < 10; batch += 1)
      await Promise.all(
        Array.from({ length: 100 }, () => service.visitor().post('/device/code', { client_id: clientId })),
      )
    expect(await waiting()).toBe(120)
  })
})

it('costs a poll that comes ten times a second no session', async () => {
  await service.deps.sql`delete from rate_limits`
  const asked = await startWaiting(service)
  const replies: Reply[] = []
  replies.push(await asked.poll())
  // However slow the machine, each further poll comes too soon.
  await service.deps.sql`update device_requests set last_polled_at = last_polled_at + interval '50 seconds'`
  service.statements.forget()
  for (let index = 1; index < 50; index += 1) replies.push(await asked.poll())
  expect(replies.map(({ body }) => body.error)).toEqual(['authorization_pending', ...Array(49).fill('slow_down')])
  expect(service.statements.list).toHaveLength(49)
  expect(service.statements.list.filter((statement) => /sessions/.test(statement))).toEqual([])
  expect((await approve(await service.person(), asked)).status).toBe(200)
})
