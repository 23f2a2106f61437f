import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { linkIdentifierOf } from '../../domain/mails.ts'
import { type Outcome, postJson, startLoad, tell } from '../../testing/load.ts'
import { linkTo, mailsTo } from '../../testing/mailed.ts'
import { startProcess } from '../../testing/process.ts'
import { kills, timeFor } from '../../testing/rounds.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'

const another = 'another horse battery staple'

const service = useTestService()

/** What was under way when the service died, and whether all of it was done or none. */
interface Interrupted {
  readonly step: string
  readonly isWhole: () => Promise<boolean>
}
const interrupted: Interrupted[] = []
let done = 0

/** One person who goes through every flow at a service that may die in between. */
function createLife(url: string) {
  const email = `ann-${randomUUID()}@example.com`
  const newEmail = `new-${randomUUID()}@example.com`
  let token = ''
  const credentials = (): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {})
  const post = (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', ...credentials() }
    return tell(`${url}${path}`, { ...postJson(body), headers })
  }
  const get = (path: string) => tell(`${url}${path}`, { headers: credentials() })
  const remember = (outcome: Outcome) => {
    token = (outcome.body as { token?: string } | null)?.token ?? token
    return outcome
  }
  /** False when the service died meanwhile, or had too many hashes to make: then nothing more can be said of this life. */
  async function step(name: string, act: () => Promise<Outcome>, isWhole: () => Promise<boolean>): Promise<boolean> {
    const { status } = await act()
    if (status === 0 || status === 503) interrupted.push({ step: name, isWhole })
    else expect([name, status]).toEqual([name, 200])
    done += 1
    return status === 200
  }
  return { email, newEmail, post, get, remember, step }
}

type Life = ReturnType<typeof createLife>

async function signUp({ email, post, remember, step }: Life): Promise<boolean> {
  const act = async () => remember(await post('/sign-up/email', { email, name: 'Ann', password: testPassword }))
  return step('sign-up', act, () => agree([isThere(email), isPerson(email)]))
}

/** Whoever forgot it proves the address as well. */
async function reset({ email, post, remember, step }: Life): Promise<boolean> {
  if (!(await step('forgot', () => post('/forget-password', { email }), always))) return false
  const { token } = await linkTo(service, email, 'reset-password')
  const act = () => post('/reset-password', { token, newPassword: another })
  const facts = () => [
    isUsed(linkIdentifierOf['reset-password'](token)),
    fits(email, another),
    isVerified(email),
    isTold(email, 'password-changed'),
    hasNoSession(email),
  ]
  if (!(await step('reset', act, () => agree(facts())))) return false
  return step('sign-in', async () => remember(await post('/sign-in/email', { email, password: another })), always)
}

async function verifyFirst({ email, get, post, step }: Life): Promise<boolean> {
  const { token } = await linkTo(service, email, 'verify-email')
  const facts = () => [isUsed(linkIdentifierOf['verify-email'](jtiOf(token))), isVerified(email)]
  if (
    !(await step(
      'verify',
      () => get(`/verify-email?token=${token}`),
      () => agree(facts()),
    ))
  )
    return false
  const proof = { currentPassword: testPassword, newPassword: another, revokeOtherSessions: false }
  const changed = () => [fits(email, another), isTold(email, 'password-changed')]
  return step(
    'password',
    () => post('/change-password', proof),
    () => agree(changed()),
  )
}

async function move({ email, newEmail, get, post, step }: Life): Promise<boolean> {
  if (!(await step('ask to change', () => post('/change-email', { newEmail }), always))) return false
  const { token } = await linkTo(service, email, 'change-email')
  const facts = () => [
    isUsed(linkIdentifierOf['change-email'](jtiOf(token))),
    isPerson(newEmail),
    isTold(email, 'email-changed'),
    isTold(newEmail, 'verify-email'),
  ]
  return step(
    'change',
    () => get(`/verify-email?token=${token}`),
    () => agree(facts()),
  )
}

async function end({ newEmail, post, step }: Life): Promise<boolean> {
  const act = () => post('/delete-user', { password: another })
  return step('delete', act, () => agree([isThere(newEmail), isPerson(newEmail)]))
}

/** Asked by the loop again and again: a whole life, or what a kill left of it. */
async function live(url: string): Promise<Outcome> {
  const life = createLife(url)
  const prove = Math.random() < 0.5 ? reset : verifyFirst
  for (const part of [signUp, prove, move, end]) if (!(await part(life))) return { ...over, status: 0 }
  return over
}
const over: Outcome = { status: 200, body: null, setCookies: [] }

const always = async () => true
const jtiOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).jti
const agree = async (facts: Promise<boolean>[]) => new Set(await Promise.all(facts)).size === 1
const sql = () => service.deps.sql
const isThere = async (email: string) => (await sql()`select from users where email = ${email}`).length === 1
const isUsed = async (identifier: string) =>
  (await sql()`select from verifications where identifier = ${identifier}`).length === 0
const isVerified = async (email: string) =>
  (await sql()`select from users where email = ${email} and email_verified`).length === 1
const hasNoSession = async (email: string) =>
  (await sql()`select from sessions s join users u on u.id = s.user_id where u.email = ${email}`).length === 0
const isTold = async (email: string, kind: string) => (await mailsTo(service, email, kind)).length > 0
const isPerson = async (email: string) =>
  (
    await sql()`select from users u join accounts a on a.user_id = u.id and a.password is not null where u.email = ${email}`
  ).length === 1
async function fits(email: string, password: string): Promise<boolean> {
  const [row] = await sql()`select a.password from accounts a join users u on u.id = a.user_id where u.email = ${email}`
  return service.deps.passwords.verify(row?.password, password)
}

/** Rows that no whole flow leaves behind. */
async function findHalves() {
  const [row] = await sql()`
    select
      (select count(*)::int from users u where not exists (select from accounts a where a.user_id = u.id and a.password is not null)) as no_account,
      (select count(*)::int from verifications v where not exists (select from outbox o where o.verification_id = v.id)) as no_mail,
      (select count(*)::int from outbox where link_seconds is not null and verification_id is null) as no_token,
      (select count(*)::int from verifications v where not exists (select from users u where u.id = v.user_id)) as no_user
  `
  return { ...row }
}

it(`a service killed ${kills} times in the middle of every flow leaves each done as a whole or not at all`, {
  ...timeFor(kills, 20),
}, async () => {
  for (let round = 0; round < kills; round += 1) {
    const { kill, url } = await startProcess(service.database, { SEND_VERIFICATION_ON_SIGN_UP: 'on' })
    const before = done
    const load = startLoad(() => live(url), 4)
    await expect.poll(() => done).toBeGreaterThan(before + 3)
    await sleep(Math.random() * 400)
    await kill()
    await load.stop()
    for (const { step, isWhole } of interrupted.splice(0)) expect([step, await isWhole()]).toEqual([step, true])
    expect(await findHalves()).toEqual({ noAccount: 0, noMail: 0, noToken: 0, noUser: 0 })
    await sql()`delete from users`
  }
})
