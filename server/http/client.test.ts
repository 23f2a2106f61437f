import { describe, expect, it } from 'vitest'
import { networkOf } from '../limits/ip-address.ts'
import { type TestService, testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'

const service = useTestService({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7, fd00::/8, 2001:db8:ffff::1' })

const shared = 'unknown'

/** Peer, X-Forwarded-For, the address that counts, and the neighbours it counts with. */
const shapes: [peer: string, forwarded: string | undefined, address: string, key: string][] = [
  // A peer that is no proxy of ours may say what it likes.
  ['198.51.100.1', undefined, '198.51.100.1', '198.51.100.1'],
  ['198.51.100.1', '203.0.113.9', '198.51.100.1', '198.51.100.1'],
  ['198.51.100.1', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['198.51.100.1', '', '198.51.100.1', '198.51.100.1'],
  ['192.0.2.8', '203.0.113.9', '192.0.2.8', '192.0.2.8'],
  ['11.0.0.1', '203.0.113.9', '11.0.0.1', '11.0.0.1'],
  ['fe00::1', '203.0.113.9', 'fe00::1', 'fe00::'],
  // One proxy of ours, and what it saw.
  ['10.0.0.1', undefined, '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['192.0.2.7', '203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['10.255.255.255', ' 203.0.113.9 ', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '203.0.113.9,', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', ',203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', ',', '10.0.0.1', '10.0.0.1'],
  // What stands further left was written by the client.
  ['10.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '10.0.0.2, 203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', 'garbage, 203.0.113.9', '203.0.113.9', '203.0.113.9'],
  // Several proxies of ours, one behind the other.
  ['10.0.0.1', '203.0.113.9, 10.0.0.2', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '1.2.3.4, 203.0.113.9, 10.0.0.3, 10.0.0.2', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', '10.0.0.3'],
  // A bad entry: the last good hop counts, never nobody.
  ['10.0.0.1', 'garbage', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.9, garbage, 10.0.0.2', '10.0.0.2', '10.0.0.2'],
  ['10.0.0.1', '203.0.113.256', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '203.0.113', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '0xcb.0.113.9', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '0313.0.0161.011', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '3405803785', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.9:', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.256:8080', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '[203.0.113.9:8080', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '"203.0.113.9"', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', 'for=203.0.113.9', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', '203.0.113.9/32', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', 'unknown', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', 'localhost', '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', 'x'.repeat(5000), '10.0.0.1', '10.0.0.1'],
  ['10.0.0.1', Array(2000).fill('10.0.0.9').join(), '10.0.0.9', '10.0.0.9'],
  // Some proxies write the port too.
  ['10.0.0.1', '203.0.113.9:8080', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '1.2.3.4:5, 203.0.113.9:8080, 10.0.0.2:80', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '[2001:db8::1]:8080', '2001:db8::1', '2001:db8::'],
  // One address in many spellings; IPv6 by the network of one subscriber.
  ['::ffff:198.51.100.1', undefined, '198.51.100.1', '198.51.100.1'],
  ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '::ffff:cb00:7109', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.1', '2001:db8::1', '2001:db8::1', '2001:db8::'],
  ['10.0.0.1', '2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1', '2001:db8::'],
  ['10.0.0.1', '2001:db8::aaaa:1', '2001:db8::aaaa:1', '2001:db8::'],
  ['10.0.0.1', '2001:db8:0:1::1', '2001:db8:0:1::1', '2001:db8:0:1::'],
  ['10.0.0.1', '[2001:db8::1]', '2001:db8::1', '2001:db8::'],
  ['10.0.0.1', '2001:db8::1::2', '10.0.0.1', '10.0.0.1'],
  ['fd00::1', '203.0.113.9', '203.0.113.9', '203.0.113.9'],
  ['2001:db8:ffff::1', '203.0.113.9, fd12::5', '203.0.113.9', '203.0.113.9'],
  ['fe80::1%eth0', '203.0.113.9', 'fe80::1', 'fe80::'],
  // No peer that can be read: one bucket for all of them, not none.
  ['', undefined, '', shared],
  ['', '203.0.113.9', '', shared],
  ['garbage', '203.0.113.9', '', shared],
]

describe('the address of a client', () => {
  it('has at least forty shapes here', () => expect(shapes.length).toBeGreaterThan(40))

  it.each(shapes)('of peer %j with %.60j is %j, counted as %j', async (peer, forwarded, address, key) => {
    const visitor = service.visitor(peer)
    const body = { email: `${crypto.randomUUID()}@example.com`, name: 'Ann', password: testPassword }
    await visitor.post('/sign-up/email', body, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })
    const { ipAddress } = (await visitor.get('/get-session')).body.session
    expect([ipAddress, networkOf(ipAddress)]).toEqual([address, key])
  })
})

it('is limited in every shape', async () => {
  const limited = await service.sibling({ RATE_LIMIT: 'on' })
  const keys = new Set(shapes.map(([, , , key]) => key))
  const tried = new Map<string, number>()
  for (const [peer, forwarded, , key] of shapes)
    for (let round = 0; round < 4; round += 1) {
      tried.set(key, (tried.get(key) ?? 0) + 1)
      const body = { email: `${crypto.randomUUID()}@example.com`, password: 'x'.repeat(2000) }
      const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      await limited.visitor(peer).post('/sign-in/email', body, headers)
    }
  const counts = await service.deps.sql<{ count: number }[]>`
    select max(count) as count from rate_limits
    where expires_at < now() + interval '1 minute'
    group by key
    having max(count) > 1
  `
  // One counter by network and call for each key, each counting all that was tried under it.
  expect(counts.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual(
    [...tried.values()].toSorted((a, b) => a - b),
  )
  expect(counts).toHaveLength(keys.size)
})

describe('X-Forwarded-For of a peer that is no trusted proxy', () => {
  const warnings = ({ logged }: TestService) =>
    logged.filter(({ msg }) => typeof msg === 'string' && msg.includes('X-Forwarded-For'))
  const forwarded = { 'x-forwarded-for': '203.0.113.9' }

  it('is told once, with what to set and of nobody', async () => {
    const plain = await service.sibling({ TRUSTED_PROXIES: '', RATE_LIMIT: 'on' })
    for (let time = 0; time < 3; time += 1) {
      await plain.visitor('198.51.100.9').get('/get-session', forwarded)
      await plain.visitor('198.51.100.10').post('/sign-in/email', { email: 'a@example.com', password: 'x' }, forwarded)
    }
    expect(warnings(plain)).toMatchObject([{ level: 40, msg: expect.stringContaining('TRUSTED_PROXIES') }])
    expect(Object.keys(warnings(plain)[0] ?? {}).toSorted()).toEqual(['level', 'msg', 'time'])
    expect(JSON.stringify(warnings(plain))).not.toMatch(/203\.0|198\.51/)
  })

  it('is worth no word where it is one, or where there is none', async () => {
    const trusting = await service.sibling({ RATE_LIMIT: 'on' })
    const asked = [
      trusting.visitor('10.0.0.1').get('/get-session', forwarded),
      trusting.visitor('198.51.100.9').get('/get-session'),
    ]
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200])
    expect(warnings(trusting)).toEqual([])
  })
})

it('takes several X-Forwarded-For lines as one list', async () => {
  const visitor = service.visitor('10.0.0.1')
  const headers = new Headers([
    ['x-forwarded-for', '1.2.3.4'],
    ['x-forwarded-for', '203.0.113.9, 10.0.0.2'],
    ['content-type', 'application/json'],
    ['content-length', '200'],
  ])
  const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, name: 'Ann', password: testPassword })
  await visitor.send('/sign-up/email', { method: 'POST', headers, body })
  expect((await visitor.get('/get-session')).body.session.ipAddress).toBe('203.0.113.9')
})
