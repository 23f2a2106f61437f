import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { slack } from '../../server/testing/slack.ts'
import { type OwnService, startOwnService } from './own-service.ts'

// The command line waits for the seconds that the service names.
vi.setConfig({ testTimeout: 60_000 * slack })

const queue = { running: 1, waiting: 1, timeout: 60_000 * slack }
let own: OwnService
let open: () => void
let taken: Promise<unknown>
beforeEach(async () => {
  own = await startOwnService({}, { queue })
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { passwords } = own.service.deps
  taken = Promise.all([passwords.queue.run(() => gate), passwords.queue.run(() => gate)])
})
afterEach(async () => {
  open()
  await taken
  await own.stop()
})

const signUp = (...flags: readonly string[]) => {
  const argv = ['sign-up', '--email', 'ann@example.com', '--name', 'Ann', '--password-file', '-', ...flags]
  return own.machine()(argv, { stdin: 'correct horse battery staple' })
}
const tries = () => own.asked.filter((line) => line === 'POST /sign-up/email').length

it('comes again by itself when it finds no place, and is served', async () => {
  const running = signUp()
  await expect.poll(tries, { timeout: 20_000 * slack }).toBe(1)
  open()
  const { code, stdout } = await running
  expect([code, stdout]).toEqual([0, expect.stringContaining('ann@example.com')])
  expect(tries()).toBe(2)
})

it('comes again as often as --retries says, and then says when to try', async () => {
  const { code, stderr } = await signUp('--retries', '1')
  expect([code, stderr]).toEqual([11, expect.stringContaining('Try again in 2 s')])
  expect(tries()).toBe(2)
})
