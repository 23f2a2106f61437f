import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Founded, found } from '../../testing/organizations.ts'
import { startProcess } from '../../testing/process.ts'
import type { Receiver } from '../../testing/receiver.ts'
import { kills, timeFor } from '../../testing/rounds.ts'
import {
  hookAt,
  makeTeams,
  onThisMachine,
  startWebhookTest,
  targetsOf,
  type WebhookTest,
} from '../../testing/webhooks.ts'

let test: WebhookTest
let acme: Founded
let receiver: Receiver
beforeAll(async () => {
  test = await startWebhookTest({ MAXIMUM_TEAMS: '10000' })
  acme = await found(test.service)
  receiver = await test.receive()
  await hookAt(receiver, acme, { events: ['team'] })
})
afterAll(() => test.stop())

/** The minute for which the killed process held its webhook is over. */
const endLeases = () => test.service.deps.sql`update webhooks set next_at = now() where lease is not null`

const perRound = 10
/** About half of what each round made is still to be sent. */
const catchUp = timeFor(kills, 1)
const serve = () => startProcess(test.service.database, onThisMachine)

it(
  `kill -9 of the process that sends, ${kills} times: nothing is lost, and the order is kept`,
  timeFor(kills, 20),
  async () => {
    const made: string[] = []
    for (let round = 0; round < kills; round += 1) {
      made.push(...(await makeTeams(acme, perRound)))
      const before = receiver.got.length
      const wanted = 1 + Math.floor(Math.random() * perRound)
      let strike = () => undefined as void
      const struck = new Promise<void>((resolve) => {
        strike = resolve
      })
      // It is killed while the receiver has an event that it has not answered yet.
      receiver.answer = () => {
        if (receiver.got.length - before < wanted) return 204
        strike()
        return () => undefined
      }
      const sender = await serve()
      await struck
      expect(await sender.kill('SIGKILL')).toBe('SIGKILL')
      await endLeases()
    }
    receiver.answer = () => 204
    const last = await serve()
    await expect.poll(() => targetsOf(receiver.taken, 'team-created').at(-1), catchUp).toBe(made.at(-1))
    await last.kill('SIGTERM')
    // What was sent again is ignored by its id, as receivers do.
    const taken = new Map(receiver.taken.map((delivery) => [delivery.id, delivery]))
    expect(targetsOf([...taken.values()], 'team-created')).toEqual(made)
    expect(receiver.got.length).toBeGreaterThan(receiver.taken.length)
  },
)
