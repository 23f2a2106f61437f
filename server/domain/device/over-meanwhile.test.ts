import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TransactionSql } from '../../db/connect.ts'
import { transaction } from '../../db/transaction.ts'
import { sendFormTo } from '../../pages/testing/forms.ts'
import { ageDevices, startWaiting } from '../../testing/device.ts'
import { onwardOf, verifiedPerson } from '../../testing/device-links.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { isSignedIn } from '../../testing/mailed.ts'
import { type Person, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { callbackOf, locationOf, personAt, signInAt } from '../../testing/social.ts'
import { useStarted } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

let service: TestService
const provider = useStarted(startOpenIdProvider)
beforeAll(async () => {
  const settings = { GOOGLE_OVERRIDE_USER_INFO: 'on', ALLOW_DIFFERENT_EMAILS: 'on', COOKIE_CACHE: 'on' }
  service = await createTestService({ ...provider.settings('GOOGLE'), ...provider.settings('OIDC_ACME'), ...settings })
})
afterEach(() => {
  provider.before.tokens = () => undefined
})
afterAll(() => service.stop())

/** Somebody who gets ready to identify themselves at a provider. `owner`: whoever has a session of theirs. */
interface Approver {
  readonly name: string
  readonly at: Person
  readonly owner?: Visitor
}

const approvers: Record<string, () => Promise<Approver>> = {
  'a new user': async () => ({ name: 'google', at: personAt() }),
  'a new user whose address nobody proves': async () => ({ name: 'acme', at: personAt() }),
  'a user whose account would be linked': async () => {
    const ann = await verifiedPerson(service)
    return { name: 'google', at: ann.at, owner: ann }
  },
  'the owner of an address with which a stranger signed up': async () => {
    const eve = await service.person()
    return { name: 'google', at: personAt({ email: eve.email }), owner: eve }
  },
  'a known user whose profile changed': async () => {
    const [ann, at] = [service.visitor(), personAt()]
    await signInAt(provider, ann, at)
    return { name: 'google', at: { ...at, email: `new-${at.email}`, name: 'Anna' }, owner: ann }
  },
  'a known user whom nobody proved': async () => {
    const [ann, at] = [service.visitor(), personAt()]
    await signInAt(provider, ann, at, { provider: 'acme' })
    return { name: 'acme', at: { ...at, name: 'Anna' }, owner: ann }
  },
}

interface OnWay {
  readonly browser: Visitor
  readonly back: string
}

/** The path by which a browser with a request returns from the provider. */
async function wayBack({ name, at }: Approver): Promise<OnWay> {
  const [asked, browser] = [await startWaiting(service), service.visitor()]
  await sendFormTo('/page/device', browser, { user_code: asked.userCode })
  const onward = onwardOf(await sendFormTo('/page/device/provider', browser, { provider: name }))
  return { browser, back: callbackOf(await provider.visit(onward, at)) }
}

/** All that a sign-in could have written, as digests. */
async function written() {
  const { sql } = service.deps
  const rows = (table: string) =>
    sql`select md5(string_agg(t::text, '' order by t::text)) as digest from ${sql(table)} t`
  const tables = await Promise.all(['users', 'accounts', 'sessions', 'outbox'].map(rows))
  const [events] = await sql`select count(*)::int from audit_events where event <> 'sign-in-failed'`
  return [...tables.map(([row]) => row?.digest), events?.count]
}

/** Comes back while somebody else changes the request, whose change is there first. */
async function comeBackDuring(change: (tx: TransactionSql) => PromiseLike<unknown>, { browser, back }: OnWay) {
  let returning: Promise<Reply> | undefined
  await transaction(service.deps.sql, async (tx) => {
    await change(tx)
    returning = browser.get(back)
    await untilWaiting(service)
  })
  return returning as Promise<Reply>
}

const page = 'http://localhost:4100/api/auth/page/device/request'

describe('a sign-in at a provider whose device request is over meanwhile', () => {
  it.each(Object.entries(approvers))('writes nothing when it expired: %s', async (_who, prepare) => {
    const approver = await prepare()
    const { browser, back } = await wayBack(approver)
    provider.before.tokens = () => ageDevices(service, 600)
    const before = await written()
    service.logged.length = 0
    expect(locationOf(await browser.get(back))).toContain(`${page}?error=unable_to_`)
    expect(await written()).toEqual(before)
    expect(service.logged.filter(({ event }) => event).map(({ event }) => event)).toEqual(['sign-in-failed'])
    expect(approver.owner === undefined || (await isSignedIn(approver.owner))).toBe(true)
  })

  it.each(Object.entries(approvers))('writes nothing when it is being denied: %s', async (_who, prepare) => {
    const onWay = await wayBack(await prepare())
    const before = await written()
    const late = await comeBackDuring((tx) => tx`update device_requests set status = 'denied'`, onWay)
    expect(locationOf(late)).toContain(`${page}?error=unable_to_`)
    expect(await written()).toEqual(before)
  })

  it.each(Object.entries(approvers))('is bound to one that is only polled: %s', async (_who, prepare) => {
    const onWay = await wayBack(await prepare())
    const back = await comeBackDuring((tx) => tx`update device_requests set last_polled_at = now()`, onWay)
    expect(locationOf(back)).toBe(page)
    expect((await onWay.browser.get('/page/device/request')).text).toContain('Is this you?')
  })
})
