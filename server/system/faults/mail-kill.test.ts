import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { leaveLink } from '../../testing/outbox.ts'
import { type ServiceProcess, startProcess } from '../../testing/process.ts'
import { kills, timeFor } from '../../testing/rounds.ts'
import { slack } from '../../testing/slack.ts'
import { type MailServer, startMailServer } from '../../testing/smtp.ts'
import { useTestService } from '../../testing/use-service.ts'

const service = useTestService()
let server: MailServer
const running: ServiceProcess[] = []
beforeEach(async () => {
  server = await startMailServer()
})
afterEach(async () => {
  for (const started of running.splice(0)) await started.kill()
  await server.stop()
  await service.deps.sql`delete from users`
})

async function start(): Promise<ServiceProcess> {
  const settings = { SMTP_URL: server.url, MAIL_FROM: 'no-reply@example.com' }
  const started = await startProcess(service.database, settings)
  running.push(started)
  return started
}

/** What a killed process claimed is nobody's until its lease is over: it is over now. */
const endLeases = () => service.deps.sql`update outbox set next_attempt_at = now()`
const idsTaken = () => server.mails.map(({ headers }) => (headers['message-id'] ?? '').slice(1, 37))
async function waiting(): Promise<number> {
  const [row] = await service.deps.sql`select count(*)::int as waiting from outbox`
  return row?.['waiting']
}

it('a service killed between sending a mail and marking it sends it once more, under the same Message-ID', async () => {
  const id = await leaveLink(service)
  server.behaviour = 'silent-after-taking'
  const first = await start()
  await expect.poll(idsTaken).toEqual([id])
  await first.kill()
  expect(await waiting()).toBe(1)
  server.behaviour = 'accept'
  await endLeases()
  await start()
  await expect.poll(waiting, { timeout: 15_000 * slack }).toBe(0)
  expect(idsTaken()).toEqual([id, id])
})

it(`a service killed ${kills} times while it sends loses no mail, and sends at most the one under way again`, {
  ...timeFor(kills, 20),
}, async () => {
  const ids: string[] = []
  for (let round = 0; round < kills; round += 1) {
    for (let left = 0; left < 50; left += 1) ids.push(await leaveLink(service))
    const before = server.mails.length
    const doomed = await start()
    await expect.poll(() => server.mails.length, { timeout: 15_000 * slack }).toBeGreaterThan(before)
    await sleep(Math.random() * 50)
    await doomed.kill()
    await endLeases()
  }
  await start()
  await expect.poll(waiting, timeFor(kills, 5)).toBe(0)
  const taken = idsTaken()
  expect(new Set(taken)).toEqual(new Set(ids))
  expect(taken.length - ids.length).toBeLessThanOrEqual(kills)
})
