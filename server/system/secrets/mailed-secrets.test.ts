import { beforeAll, describe, expect, it } from 'vitest'
import { linkTo, mailsTo, open, verifiedPerson } from '../../testing/mailed.ts'
import { dumpTables } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'

const service = useTestService({ LOG_LEVEL: 'trace' })
let gone: Awaited<ReturnType<typeof everything>>
const byMail = useMade(() => service.sibling({ DELETE_USER_MODE: 'email' }))
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))
beforeAll(async () => {
  gone = await everything()
})

const canary = 'canary-in-the-query'
const another = 'another canary battery staple'
const callbackURL = `/page?x=${canary}`

/** Goes through every flow, well and badly; returns all that was secret or personal in them. */
async function everything() {
  const secrets: string[] = [canary, testPassword, another]
  const dumps: string[] = []
  /** The newest link of a kind, while its token lives and its mail waits. */
  const note = async (email: string, kind: string) => {
    const link = await linkTo(service, email, kind)
    secrets.push(link.token, ...link.token.split('.').filter((part) => part.length > 20))
    dumps.push(await dumpTables(service))
    return link
  }
  const ann = await verifiedPerson(service, { name: 'Canary Ann' })
  const newEmail = `canary-${crypto.randomUUID()}@example.com`
  secrets.push(ann.email, newEmail, ann.email.split('@')[0]!, 'Canary Ann')
  await service.visitor().post('/forget-password', { email: ann.email, redirectTo: callbackURL })
  const reset = await note(ann.email, 'reset-password')
  await open(service, service.visitor(), reset.url)
  await service.visitor().post('/reset-password', { token: reset.token, newPassword: 'short' })
  await service.visitor().post('/reset-password', { token: reset.token, newPassword: another })
  await service.visitor().post(`/reset-password?token=${reset.token}`, { newPassword: another })
  await ann.post('/sign-in/email', { email: ann.email, password: another })
  await ann.post('/change-password', { currentPassword: testPassword, newPassword: another })
  await ann.post('/change-email', { newEmail, callbackURL })
  const change = await note(ann.email, 'change-email')
  await open(service, service.visitor(), change.url)
  await open(service, ann, change.url)
  await strict.visitor().post('/sign-in/email', { email: newEmail, password: another })
  const verification = await note(newEmail, 'verify-email')
  await strict.visitor().post('/sign-up/email', { email: newEmail, name: 'Canary Ann', password: another })
  const mails = await mailsTo(service, newEmail)
  await open(service, service.visitor(), `${verification.url}x`)
  await open(service, service.visitor(), verification.url)
  await byMail.copyOf(ann).post('/delete-user', { callbackURL })
  const deletion = await note(newEmail, 'delete-account')
  await open(service, service.visitor(), deletion.url)
  await open(service, ann, deletion.url)
  return { secrets, dumps, mails, tokens: [reset, change, verification, deletion] }
}

const spellings = (text: string) => [
  text,
  encodeURIComponent(text),
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64url'),
]
const lines = () => [service, byMail, strict].flatMap(({ logged }) => logged)

describe('all that goes by mail', () => {
  it('stands in no log line, and its tokens in no table: a mail that waits cannot be read there', () => {
    const { secrets, dumps, mails, tokens } = gone
    const log = JSON.stringify(lines())
    for (const secret of secrets) for (const text of spellings(secret)) expect(log).not.toContain(text)
    for (const { token } of tokens)
      for (const dump of dumps) for (const text of spellings(token)) expect(dump).not.toContain(text)
    expect(mails.length).toBeGreaterThan(1)
    for (const dump of dumps)
      for (const text of [canary, 'callbackURL', '"kind":"verify-email"'].flatMap(spellings))
        expect(dump).not.toContain(text)
  })

  it('is logged as a route and a status, which is enough to follow a flow', () => {
    const routes = lines().flatMap(({ route, status }) =>
      route ? [`${JSON.stringify(status)} ${JSON.stringify(route)}`] : [],
    )
    for (const seen of [
      '302 "/reset-password/{token}"',
      '400 "/reset-password"',
      '200 "/reset-password"',
      '302 "/verify-email"',
      '302 "/delete-user/callback"',
    ])
      expect(routes).toContain(seen)
    const names = new Set(lines().flatMap((line) => Object.keys(line)))
    const ofRequests = ['level', 'method', 'ms', 'msg', 'requestId', 'route', 'status', 'time']
    const ofEvents = ['count', 'event', 'network', 'reason', 'userId']
    expect([...names].toSorted()).toEqual([...ofRequests, ...ofEvents].toSorted())
  })

  it('stands in no log line of a fault either', async () => {
    const { sql } = service.deps
    const { email } = await service.person()
    const redirectTo = callbackURL
    await sql`alter table outbox rename to away`
    const { status } = await service.visitor().post('/forget-password', { email, redirectTo })
    await sql`alter table away rename to outbox`
    expect(status).toBe(500)
    const log = JSON.stringify(service.logged)
    for (const text of [email, canary]) expect(log).not.toContain(text)
  })

  it('is sealed for its own row: no other row opens it', async () => {
    const people = [await service.person(), await service.person()]
    for (const { email } of people) await service.visitor().post('/forget-password', { email })
    await service.deps.sql`
      update outbox o set payload = other.payload from outbox other
      where o.id <> other.id and o.user_id = (select id from users where email = ${people[0]!.email})
        and other.user_id = (select id from users where email = ${people[1]!.email})
    `
    await expect(mailsTo(service, people[0]!.email)).rejects.toThrow('No configured secret can decrypt this mail')
    await service.deps.sql`delete from outbox`
  })

  it('leaves no trace in what a browser tells the next page', async () => {
    const { email } = await service.person()
    await service.visitor().post('/forget-password', { email })
    const reset = await linkTo(service, email, 'reset-password')
    for (const path of [
      `/reset-password/${reset.token}?callbackURL=/r`,
      '/verify-email?token=x',
      '/delete-user/callback?token=x',
    ])
      expect((await service.visitor().get(path)).headers.get('referrer-policy')).toBe('no-referrer')
  })
})
