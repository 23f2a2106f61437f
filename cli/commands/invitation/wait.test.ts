import { beforeAll, expect, it } from 'vitest'
import { terminatedError } from '../../output/cli-error.ts'
import { useOwnService, usePerson } from '../../testing/use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')
const bob = usePerson(service, 'Bob')

beforeAll(async () => {
  await ann('org create Acme --slug acme')
})

const invite = async (email: string) => (await ann(`invitation create ${email} --role member -q`)).stdout.trim()

/** Waits, and acts once it does. */
const wait = (argv: string, act: () => Promise<unknown> | void = () => {}, signal?: AbortSignal) => {
  let isActing = false
  return ann(`invitation wait ${argv}`, {
    ...(signal && { signal }),
    hear: (text) => {
      if (!text.includes('Waiting for answers') || isActing) return
      isActing = true
      void act()
    },
  })
}

it('ends when each is answered, telling each answer', async () => {
  const id = await invite(bob.email)
  await invite('eve@example.com')
  const { code, stdout } = await wait(`${bob.email} eve@example.com`, async () => {
    // Another process makes another organization the active one.
    await ann('org create Globex --slug globex')
    await bob(`invitation accept ${id}`)
    await ann('invitation cancel eve@example.com --org acme')
  })
  await ann('org use acme')
  expect([code, stdout.trim().split('\n').toSorted()]).toEqual([
    5,
    [`${bob.email}\taccepted`, 'eve@example.com\tcanceled\tCanceled\tnext: postern invitation create eve@example.com'],
  ])
  // What is answered already needs no waiting.
  expect(await wait(`${bob.email} --json`)).toMatchObject({
    code: 0,
    json: { results: [{ input: bob.email, status: 'accepted', id, error: null }], summary: { succeeded: 1 } },
  })
  expect((await wait(`${id} -q`)).stdout).toBe(`${id}\n`)
  expect((await wait('nobody@example.com')).code).toBe(6)
  expect(await wait('')).toMatchObject({ code: 0, stdout: '', stderr: 'No invitation is pending\n' })
})

it('is exit 8 at the end of its time, and tells an expired one', async () => {
  await invite('late@example.com')
  await invite('old@example.com')
  await service.service.deps
    .sql`update invitations set expires_at = now() - interval '1 d' where email = 'old@example.com'`
  const { code, json } = await wait('--timeout 3s --json')
  const { results } = json as { results: { input: string; status: string }[] }
  expect([code, results.map(({ input, status }) => [input, status])]).toEqual([
    8,
    [
      ['old@example.com', 'expired'],
      ['late@example.com', 'pending'],
    ],
  ])
  expect((await wait('old@example.com')).code).toBe(5)
})

it('an interruption ends with what is still pending', async () => {
  await invite('slow@example.com')
  const stop = new AbortController()
  const { code, stdout } = await wait('slow@example.com', () => stop.abort(terminatedError()), stop.signal)
  expect([code, stdout]).toEqual([143, expect.stringMatching(/^slow@example\.com\tpending\t/)])
})
