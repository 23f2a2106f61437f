import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createParts } from '../process/start.ts'
import { mailsTo, verifiedPerson } from '../testing/mailed.ts'
import { dumpTables, keysOf, trail } from '../testing/rows.ts'
import { limited, testPassword } from '../testing/service.ts'
import { useMade, useTestService } from '../testing/use-service.ts'
import type { Reply } from '../testing/visitor.ts'
import { withResponseFloor } from './response-floor.ts'

const first = <T>(...all: Promise<T>[]) => Promise.race(all)

describe('the floor', () => {
  const deps = { answerFloor: 40 } as Parameters<typeof withResponseFloor>[0]

  it('holds back what is done at once, and what is refused at once', async () => {
    const early = () => sleep(20, 'early')
    expect(await first(withResponseFloor(deps, Promise.resolve('done')), early())).toBe('early')
    expect(await first(withResponseFloor(deps, Promise.reject(new Error('no'))), early())).toBe('early')
  })

  it('is a fifth of a second where people ask', () => {
    expect(createParts(service.deps.config, service.deps.log).answerFloor).toBe(200)
  })

  it.each(['done', 'refused'])('adds nothing to what takes longer, and is %s', async (end) => {
    // Far longer than the floor, which begins a little later on a busy machine.
    const work = sleep(300).then(() => (end === 'done' ? end : Promise.reject(new Error(end))))
    const told = withResponseFloor(deps, work).catch((error: Error) => error.message)
    await work.catch(() => undefined)
    // The next turn: no timer that starts now is over by then.
    expect(await first<unknown>(told, new Promise(setImmediate))).toBe(end)
  })
})

const service = useTestService(limited, { answerFloor: 40 })
const strict = useMade(() => service.sibling({ REQUIRE_EMAIL_VERIFICATION: 'on' }))

const someone = () => `ann-${crypto.randomUUID()}@example.com`

/** All of an answer that could tell something. */
const answerOf = ({ status, text, headers, setCookies }: Reply) => ({
  status,
  text,
  // The value is encrypted: of the same length, and another one at each answer.
  setCookies: setCookies.map((line) => line.replace(/=[\w-]{86};/, '=…;')),
  headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'set-cookie'].includes(name)),
})

/** What one request costs, and whether its answer was held back. */
async function observe(path: string, email: string) {
  service.statements.forget()
  const { computed } = service.deps.passwords
  const sent = service.visitor().post(path, { email })
  const isHeldBack = (await first<unknown>(sent, sleep(20))) === undefined
  const answer = answerOf(await sent)
  return {
    answer,
    statements: [...service.statements.list],
    hashes: service.deps.passwords.computed - computed,
    isHeldBack,
  }
}

describe.each([
  ['/forget-password', 'reset-password'],
  ['/request-password-reset', 'reset-password'],
  ['/send-verification-email', 'verify-email'],
])('%s', (path, kind) => {
  it('answers known and unknown addresses alike, by the same statements, and after the same time', async () => {
    const { email } = await service.person()
    const nobody = someone()
    const [known, unknown] = [await observe(path, email), await observe(path, nobody)]
    expect(unknown).toEqual(known)
    expect([JSON.parse(known.answer.text).status, known.statements.length, known.hashes]).toEqual([true, 1, 0])
    expect(known.isHeldBack).toBe(true)
    expect([(await mailsTo(service, email, kind)).length, (await mailsTo(service, nobody)).length]).toEqual([1, 0])
  })

  it('writes nothing for an unknown address but counters and what was asked', async () => {
    const withoutCounters = async () => (await dumpTables(service, trail)).replace(/^rate_limits\n(?:\(.*\n)*/m, '')
    const before = await withoutCounters()
    expect(before).toContain('sessions')
    await observe(path, someone())
    expect(await withoutCounters()).toBe(before)
  })

  it('answers who asks too often alike, too', async () => {
    const { email } = await service.person()
    const visitors = [service.visitor(), service.visitor()]
    for (let time = 0; time < 3; time += 1)
      await Promise.all(visitors.map((visitor) => visitor.post(path, { email: someone() })))
    const [known, unknown] = [
      await visitors[0]!.post(path, { email }),
      await visitors[1]!.post(path, { email: someone() }),
    ]
    expect([known?.status, unknown?.status, known?.text]).toEqual([429, 429, unknown?.text])
    expect(await mailsTo(service, email)).toEqual([])
  })
})

it('a verified address gets no verification mail, and the same answer', async () => {
  const { email } = await verifiedPerson(service)
  const [verified, unknown] = [
    await observe('/send-verification-email', email),
    await observe('/send-verification-email', someone()),
  ]
  expect(verified).toEqual(unknown)
  expect(await mailsTo(service, email)).toEqual([])
})

describe('sign-up where addresses have to be verified', () => {
  async function signUp(email: string) {
    const { computed } = strict.deps.passwords
    strict.statements.forget()
    const reply = await strict.visitor().post('/sign-up/email', {
      email,
      name: 'Bob',
      password: testPassword,
      language: 'de',
      image: 'https://example.com/b.png',
    })
    return { reply, statements: strict.statements.list.length, hashes: strict.deps.passwords.computed - computed }
  }

  it('answers a taken address exactly like a new one, with an invented id; its owner gets a mail', async () => {
    const { email } = await service.person({ name: 'Ann' })
    const [taken, fresh] = [await signUp(email.toUpperCase()), await signUp(someone())]
    expect([taken.statements, taken.hashes]).toEqual([fresh.statements, fresh.hashes])
    expect(keysOf(taken.reply.body)).toEqual(keysOf(fresh.reply.body))
    expect(Object.keys(taken.reply.body.user)).toEqual(Object.keys(fresh.reply.body.user))
    const { id, email: told, createdAt, updatedAt, ...user } = taken.reply.body.user
    const other = fresh.reply.body.user
    const standing = { role: 'user', banned: null, banReason: null, banExpires: null }
    expect([user, told, updatedAt]).toEqual([
      { name: other.name, image: other.image, language: 'de', emailVerified: other.emailVerified, ...standing },
      email,
      createdAt,
    ])
    const ownId = (await service.deps.sql<{ id: string }[]>`select id from users where email = ${email}`)[0]?.id
    expect([id === ownId, id.length, id[14]]).toEqual([false, ownId?.length, ownId?.[14]])
    const without = ({ text: _text, ...rest }: ReturnType<typeof answerOf>) => ({
      ...rest,
      headers: rest.headers.filter(([name]) => name !== 'content-length'),
    })
    expect(without(answerOf(taken.reply))).toEqual(without(answerOf(fresh.reply)))
    expect((await mailsTo(service, email)).map(({ kind }) => kind)).toEqual(['sign-up-again'])
  })

  it('writes nothing for a taken address but the mail: its password does not sign in', async () => {
    const { email } = await service.person()
    const rows = async () =>
      (
        await service.deps.sql`select u::text, a::text from users u join accounts a on a.user_id = u.id order by u.id`
      ).map((row) => ({ ...row }))
    const before = await rows()
    await strict.visitor().post('/sign-up/email', { email, name: 'Bob', password: 'a wholly other passphrase' })
    expect(await rows()).toEqual(before)
  })
})
