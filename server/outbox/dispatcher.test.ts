import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createKeys } from '../crypto/keys.ts'
import { outboxDepth } from '../db/outbox.ts'
import { longestSend, type MailTransport, SendFailure } from '../mail/mail-transport.ts'
import { createSmtp } from '../mail/smtp.ts'
import { verifiedPerson } from '../testing/mailed.ts'
import { readMails } from '../testing/mails.ts'
import { done, found } from '../testing/organizations.ts'
import { leaveLink } from '../testing/outbox.ts'
import { type TestService } from '../testing/service.ts'
import { otherSecret } from '../testing/settings.ts'
import { slack } from '../testing/slack.ts'
import { type MailServer, startMailServer } from '../testing/smtp.ts'
import { useTestService } from '../testing/use-service.ts'
import { type Dispatcher, startDispatcher } from './dispatcher.ts'

const service = useTestService()
let server: MailServer
const dispatchers: Dispatcher[] = []
beforeEach(async () => {
  server = await startMailServer()
  service.logged.length = 0
})
afterEach(async () => {
  await Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.stop()))
  await server.stop()
  await service.deps.sql`delete from users`
  await service.deps.sql`delete from outbox`
})

/** Expected answers get enough time, on a busy machine too. */
const patient = { connect: 60_000, greeting: 60_000, socket: 60_000, whole: 60_000 }
/** Missing answers time out quickly. Everything before them gets enough time, so that the mail is accepted. */
const waits: Readonly<Partial<Record<string, typeof patient>>> = {
  stall: { ...patient, socket: 500 },
  'silent-after-taking': { ...patient, socket: 5000 },
}
const smtp = (deadlines = patient) => createSmtp({ url: server.url, from: 'no-reply@mail.example.com', deadlines })

/** A dispatcher that checks when it starts and when it is nudged, and never otherwise. */
function start(
  transport: MailTransport = smtp(),
  parts: Partial<TestService['deps']> = {},
  times: { grace?: number; cut?: number } = {},
): Dispatcher {
  const dispatcher = startDispatcher({
    ...service.deps,
    ...parts,
    transport,
    times: { poll: 3600, grace: 1, ...times },
  })
  dispatchers.push(dispatcher)
  return dispatcher
}

/** A transport that holds its first mail until the test answers for it, and accepts any other at once. */
function holding() {
  const taken: string[] = []
  let answer: (failure?: Error) => void = () => undefined
  const transport: MailTransport = {
    keeps: false,
    close: () => undefined,
    send: async ({ id }) => {
      if (taken.push(id) > 1) return
      const failure = await new Promise<Error | undefined>((resolve) => (answer = resolve))
      if (failure) throw failure
    },
  }
  return { transport, taken, answer: (failure?: Error) => answer(failure) }
}

interface Row {
  attempts: number
  isParked: boolean
  lastError: string | null
}
const rowOf = async (id: string) => {
  const [row] = await service.deps.sql<Row[]>`
    select attempts, parked_at is not null as is_parked, last_error from outbox where id = ${id}
  `
  return row ?? null
}
/** The database's time. */
const clock = async () => (await service.deps.sql<{ time: Date }[]>`select clock_timestamp() as time`)[0]!.time
/** Whether an attempt that failed since then is followed by the next within these seconds. */
async function isNextWithin(id: string, since: Date, [least, most]: readonly [number, number]): Promise<boolean> {
  const rows = await service.deps.sql`
    select from outbox where id = ${id}
      and next_attempt_at >= ${since}::timestamptz + make_interval(secs => ${least})
      and next_attempt_at <= clock_timestamp() + make_interval(secs => ${most})
  `
  return rows.length === 1
}
const makeDue = (id: string) => service.deps.sql`update outbox set next_attempt_at = now() where id = ${id}`
const idsTaken = () => server.mails.map(({ headers }) => (headers['message-id'] ?? '').slice(1, 37))
const unreadable = 'No configured secret can decrypt this mail'
const lines = (msg: string) => service.logged.filter((line) => line.msg === msg)

describe('a mail in the outbox', () => {
  it('is sent by who starts, or is told of it, and then nowhere to be found', async () => {
    const first = await leaveLink(service)
    const dispatcher = start()
    await expect.poll(() => rowOf(first)).toBeNull()
    const second = await leaveLink(service)
    dispatcher.nudge()
    await expect.poll(() => rowOf(second)).toBeNull()
    expect(idsTaken()).toEqual([first, second])
    expect(JSON.stringify(service.logged)).not.toMatch(/ann-|token-|reset-password\//)
  })

  it('says nothing about whom it is for to who reads the table', async () => {
    const id = await leaveLink(service)
    const [mail] = await readMails(service)
    const [row] = await service.deps.sql<{ whole: string; payload: Buffer }[]>`
      select o::text as whole, payload from outbox o where id = ${id}
    `
    for (const secret of [mail?.to ?? '', mail?.token ?? '']) {
      expect(secret.length).toBeGreaterThan(10)
      expect(row?.whole).not.toContain(secret)
      expect(row?.payload.includes(secret)).toBe(false)
    }
  })

  it('that was rolled back is never sent', async () => {
    const dispatcher = start()
    const undone = service.deps.sql.begin(async (sql) => {
      await leaveLink({ deps: { ...service.deps, sql: sql as never } })
      dispatcher.nudge()
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    const id = await leaveLink(service)
    dispatcher.nudge()
    await expect.poll(() => rowOf(id)).toBeNull()
    expect(idsTaken()).toEqual([id])
  })

  it('carries a link whose life counts from the sending', async () => {
    const id = await leaveLink(service)
    const { sql } = service.deps
    await sql`update outbox set created_at = now() - interval '5 hours' where id = ${id}`
    await sql`update verifications set expires_at = now() - interval '4 hours' where id = ${id}`
    start()
    await expect.poll(() => rowOf(id)).toBeNull()
    const [left] = await sql<{ seconds: number }[]>`
      select extract(epoch from expires_at - now())::float8 as seconds from verifications where id = ${id}
    `
    expect(left?.seconds).toBeGreaterThan(30)
    expect(left?.seconds).toBeLessThanOrEqual(60)
  })

  it('of an invitation is dropped when that was answered, canceled or deleted, or has ended, and no other', async () => {
    const acme = await found(service)
    const [bob, carl] = [await verifiedPerson(service), await verifiedPerson(service)]
    const [accepted, rejected, canceled, ended] = [
      await acme.invite(bob.email),
      await acme.invite(carl.email),
      await acme.invite('dave@example.com'),
      await acme.invite('eve@example.com'),
    ]
    const doomed = await found(service)
    await doomed.invite('fay@example.com')
    await acme.invite('gus@example.com')
    await done(bob.post('/organization/accept-invitation', { invitationId: accepted }))
    await done(carl.post('/organization/reject-invitation', { invitationId: rejected }))
    await done(acme.owner.post('/organization/cancel-invitation', { invitationId: canceled }))
    await service.deps.sql`update invitations set expires_at = now() where id = ${ended}`
    await done(doomed.owner.post('/organization/delete', { organizationId: doomed.id }))
    expect(await readMails(service)).toHaveLength(6)
    start()
    await expect.poll(() => readMails(service)).toEqual([])
    expect(server.mails.map(({ to }) => to)).toEqual([['gus@example.com']])
    // Told after the mail is out of the outbox.
    await expect
      .poll(() => [lines('mail sent').length, lines('mail dropped: it is out of date').length])
      .toEqual([1, 5])
  })

  it('waits for nobody who is using its link', async () => {
    const id = await leaveLink(service)
    await service.deps.sql.begin(async (sql) => {
      await sql`select from verifications where id = ${id} for update`
      start()
      await expect.poll(() => rowOf(id)).toBeNull()
    })
    expect(idsTaken()).toEqual([id])
  })

  it('greets a hostile name without a header, a tag or a link of its own', async () => {
    await leaveLink(service, 'Ann\r\nBcc: eve@evil.example\r\n\r\n<a href="http://evil.example">')
    start()
    await expect.poll(() => server.mails.length).toBe(1)
    const [mail] = server.mails
    expect(mail?.to).toHaveLength(1)
    expect(mail?.headers).not.toHaveProperty('bcc')
    expect(mail?.headers.subject).toBe('Set a new password')
    const plain = mail?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    expect(plain).toContain('Hello Ann Bcc: eve@evil[.]example <a href="http[:]//evil[.]example">,')
    expect(plain).toContain('&#60;a href=&#34;http[:]//evil[.]example&#34;&#62;')
  })
})

describe('a mail that is not taken', () => {
  it.each(['421', 'stall', 'drop-after-taking', 'silent-after-taking'] as const)(
    'because of a server’s %s is tried again later, under the same Message-ID',
    async (behaviour) => {
      const id = await leaveLink(service)
      server.behaviour = behaviour
      const since = await clock()
      const dispatcher = start(smtp(waits[behaviour]))
      await expect.poll(async () => (await rowOf(id))?.lastError, { timeout: 15_000 * slack }).toMatch(/^SMTP: /)
      const row = await rowOf(id)
      expect(row).toMatchObject({ attempts: 1, isParked: false })
      expect(await isNextWithin(id, since, [22, 38])).toBe(true)
      expect(`${row?.lastError}${JSON.stringify(service.logged)}`).not.toMatch(/ann-|token-/)
      expect(lines('mail not sent; it will be tried again')).toMatchObject([
        { id, kind: 'reset-password', attempts: 1 },
      ])
      await dispatcher.stop()
      server.behaviour = 'accept'
      await makeDue(id)
      start()
      await expect.poll(() => rowOf(id)).toBeNull()
      expect(idsTaken()).toEqual(behaviour.endsWith('taking') ? [id, id] : [id])
    },
  )

  it('because nobody listens arrives when somebody does', async () => {
    await server.stop()
    const id = await leaveLink(service)
    const dispatcher = start()
    await expect.poll(async () => (await rowOf(id))?.lastError).toMatch(/^SMTP: /)
    server = await startMailServer({ port: server.port })
    await makeDue(id)
    dispatcher.nudge()
    await expect.poll(() => rowOf(id)).toBeNull()
    expect(idsTaken()).toEqual([id])
  })

  it('is not sent twice when the server leaves after its 250', async () => {
    const ids = [await leaveLink(service), await leaveLink(service)]
    server.behaviour = 'drop-after-250'
    const dispatcher = start()
    await expect.poll(async () => (await readMails(service)).length).toBeLessThan(2)
    server.behaviour = 'accept'
    for (const id of ids) await makeDue(id)
    dispatcher.nudge()
    await expect.poll(() => readMails(service)).toEqual([])
    expect(idsTaken().toSorted()).toEqual(ids.toSorted())
  })

  it.each(['550', '554-after-data'] as const)(
    'for good, by %s, is parked, told of and tried no more',
    async (behaviour) => {
      const id = await leaveLink(service)
      server.behaviour = behaviour
      const dispatcher = start()
      await expect.poll(async () => (await rowOf(id))?.isParked).toBe(true)
      expect(lines('mail given up')).toMatchObject([{ level: 50, id, kind: 'reset-password', attempts: 1 }])
      expect(JSON.stringify([service.logged, await rowOf(id)])).not.toMatch(/ann-|token-/)
      server.behaviour = 'accept'
      await makeDue(id)
      const other = await leaveLink(service)
      dispatcher.nudge()
      await expect.poll(() => rowOf(other)).toBeNull()
      expect(idsTaken()).toEqual([other])
    },
  )

  it.each([
    [1, 22.5, 0],
    [1, 37.5, 1],
    [4, 180, 0],
    [30, 4500, 1],
  ])('a %d. time waits %d seconds where chance is %d', async (attempts, wait, chance) => {
    const id = await leaveLink(service)
    await service.deps.sql`update outbox set attempts = ${attempts - 1} where id = ${id}`
    server.behaviour = '421'
    const random = vi.spyOn(Math, 'random').mockReturnValue(chance)
    onTestFinished(() => random.mockRestore())
    const since = await clock()
    start()
    await expect.poll(async () => (await rowOf(id))?.lastError).toBe('SMTP: 421 ECONNECTION CONN')
    expect(await isNextWithin(id, since, [wait, wait])).toBe(true)
  })

  it.each([
    ['25 hours', 8, true],
    ['25 hours', 2, false],
    ['23 hours', 30, false],
    ['1 hour', 51, true],
  ])('since %s, the %d. time, is given up: %s', async (age, attempts, isGivenUp) => {
    const id = await leaveLink(service)
    await service.deps.sql`
      update outbox set attempts = ${attempts - 1}, created_at = now() - ${age}::interval where id = ${id}
    `
    server.behaviour = '421'
    start()
    await expect.poll(async () => (await rowOf(id))?.lastError).not.toBeNull()
    expect((await rowOf(id))?.isParked).toBe(isGivenUp)
  })

  it('because this process has no secret that opens it waits for one that has, and holds up no other', async () => {
    const id = await leaveLink(service)
    const sibling = await service.sibling({ SECRET: otherSecret })
    const readable = await leaveLink(sibling)
    const since = await clock()
    start(smtp(), { keys: sibling.deps.keys })
    await expect.poll(() => rowOf(readable)).toBeNull()
    expect(await rowOf(id)).toEqual({ attempts: 1, isParked: false, lastError: unreadable })
    expect(await isNextWithin(id, since, [22, 38])).toBe(true)
    expect(lines('mail not sent; it will be tried again')).toMatchObject([
      { level: 40, id, kind: 'reset-password', attempts: 1, reason: unreadable },
    ])
    expect(await outboxDepth(service.deps.sql)).toMatchObject({ waiting: 1, parked: 0 })
    expect(idsTaken()).toEqual([readable])
    await makeDue(id)
    start()
    await expect.poll(() => rowOf(id)).toBeNull()
    expect(idsTaken()).toEqual([readable, id])
  })

  it('because no process can open it is given up after a day', async () => {
    const id = await leaveLink(service)
    await service.deps.sql`update outbox set attempts = 7, created_at = now() - interval '25 hours' where id = ${id}`
    start(smtp(), { keys: createKeys([otherSecret]) })
    await expect.poll(() => rowOf(id)).toEqual({ attempts: 8, isParked: true, lastError: unreadable })
    expect(lines('mail given up')).toMatchObject([{ level: 50, id, reason: unreadable }])
    expect(server.tries).toBe(0)
  })

  it('is opened by an older secret that is still kept', async () => {
    const id = await leaveLink(service)
    const { SECRETS } = service.deps.config
    start(smtp(), { keys: createKeys([otherSecret, ...SECRETS]) })
    await expect.poll(() => rowOf(id)).toBeNull()
    expect(idsTaken()).toEqual([id])
  })
})

describe('several dispatchers', () => {
  it('share the outbox: each mail is sent once', async () => {
    const ids = await Promise.all(Array.from({ length: 40 }, () => leaveLink(service)))
    const others = [start(), start(), start()]
    for (let round = 0; round < 20; round += 1) for (const dispatcher of others) dispatcher.nudge()
    await expect.poll(() => readMails(service), { timeout: 15_000 * slack }).toEqual([])
    expect(idsTaken().toSorted()).toEqual(ids.toSorted())
  })

  it('leave a mail alone that one of them is sending', async () => {
    const id = await leaveLink(service)
    server.behaviour = 'silent-after-taking'
    start()
    await expect.poll(() => idsTaken()).toEqual([id])
    server.behaviour = 'accept'
    const other = await leaveLink(service)
    start()
    await expect.poll(() => rowOf(other)).toBeNull()
    expect(idsTaken()).toEqual([id, other])
  })

  it.each([false, true])(
    'do not touch an attempt that began after their own, when theirs fails late (for good: %s)',
    async (isPermanent) => {
      const id = await leaveLink(service)
      const [late, next] = [holding(), holding()]
      const first = start(late.transport)
      await expect.poll(() => late.taken).toEqual([id])
      // As if the process had stood still until its lease ended.
      await makeDue(id)
      start(next.transport)
      await expect.poll(() => next.taken).toEqual([id])
      const stored = () => service.deps.sql`select * from outbox`
      const claimed = await stored()
      late.answer(new SendFailure('SMTP: too late', isPermanent))
      await first.stop()
      expect(await stored()).toEqual(claimed)
      next.answer()
      await expect.poll(() => rowOf(id)).toBeNull()
    },
  )
})

describe('a dispatcher that stops', () => {
  it('waits for the mail under way, and takes no other', async () => {
    const { transport, taken, answer } = holding()
    const id = await leaveLink(service)
    const dispatcher = start(transport, {}, { grace: 200 })
    await expect.poll(() => taken).toEqual([id])
    const stopped = dispatcher.stop()
    const later = await leaveLink(service)
    dispatcher.nudge()
    answer()
    await stopped
    expect(await rowOf(id)).toBeNull()
    expect(await rowOf(later)).toMatchObject({ attempts: 0 })
    expect(taken).toEqual([id])
  })

  it('cuts off what stalls, which is then tried again', async () => {
    const id = await leaveLink(service)
    server.behaviour = 'stall'
    const dispatcher = start(smtp(), {}, { cut: 100 })
    await expect.poll(() => server.tries).toBe(1)
    await dispatcher.stop()
    expect(await rowOf(id)).toMatchObject({
      attempts: 1,
      isParked: false,
      lastError: expect.stringMatching(/^SMTP/),
    })
  })

  it('stays with its process for longer than a mail server may take', async () => {
    const id = await leaveLink(service)
    const since = await clock()
    server.behaviour = 'stall'
    start()
    await expect.poll(() => server.tries).toBe(1)
    expect(await isNextWithin(id, since, [longestSend / 1000 + 10, 300])).toBe(true)
  })

  it('is one at a time: who is killed meanwhile repeats that one alone', async () => {
    const { transport, taken, answer } = holding()
    const first = await leaveLink(service)
    const dispatcher = start(transport)
    await expect.poll(() => taken).toEqual([first])
    const others = [await leaveLink(service), await leaveLink(service)]
    dispatcher.nudge()
    await expect(Promise.all(others.map(rowOf))).resolves.toMatchObject([{ attempts: 0 }, { attempts: 0 }])
    answer()
    await expect.poll(() => Promise.all(others.map(rowOf))).toEqual([null, null])
  })
})
