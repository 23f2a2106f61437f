import { afterEach, expect, it, vi } from 'vitest'
import { freePort } from '../../server/testing/ports.ts'
import { startAnswers } from '../testing/answers.ts'
import { createRunner } from '../testing/run-cli.ts'

const services: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const service of services.splice(0)) await service.close()
})

const start = async (...args: Parameters<typeof startAnswers>) => {
  const service = await startAnswers(...args)
  services.push(service)
  return { service, postern: createRunner({ env: { POSTERN_URL: service.url } }) }
}

it('ends as soon as the service takes work, and tells why not before', async () => {
  let asked = 0
  const answers = [
    { status: 404 },
    { status: 503, body: { ready: false }, headers: { 'retry-after': '1' } },
    { body: { ready: true } },
  ]
  const { service, postern } = await start({ 'GET /ready': () => answers[asked++] ?? {} })
  const done = await postern('wait')
  expect([done.code, done.stdout]).toEqual([0, `${service.url}/api/auth is ready\n`])
  expect(done.stderr.split('\n')).toHaveLength(3)
  expect(done.stderr).toContain(`Waiting for ${service.url}/api/auth, 60 s at most: `)
  expect(asked).toBe(3)
  asked = 2
  expect((await postern('wait --json')).json).toEqual({
    url: `${service.url}/api/auth`,
    ready: true,
    seconds: expect.any(Number),
  })
})

it('is exit 10 at the end of its time, with what was the matter', async () => {
  const postern = createRunner({ env: { POSTERN_URL: `http://localhost:${await freePort()}` } })
  // Over once it was told: on a slow machine the time would be over before.
  const end = new AbortController()
  const times = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal)
  const { code, stdout, stderr } = await postern('wait --timeout 300ms', { hear: () => end.abort() })
  expect([code, stdout, times.mock.calls]).toEqual([10, '', [[300]]])
  expect(stderr).toMatch(/error: .* is not ready after 0\.3 s: Nothing listens at/)
  vi.restoreAllMocks()
  const machine = await postern('wait --timeout 300ms --json')
  expect(machine).toMatchObject({ code: 10, stdout: '', error: { code: 'NOT_READY' } })
})

it('waits for one that takes requests and answers none, to the same end', async () => {
  const { startFakeServer } = await import('../testing/fake-server.ts')
  const silent = await startFakeServer(() => {})
  services.push(silent)
  const { code, error } = await createRunner({ env: { POSTERN_URL: silent.url } })('wait --timeout 300ms --json')
  expect([code, error['message']]).toEqual([10, expect.stringContaining('is not ready after 0.3 s')])
})

it('does not wait for what time will not mend, and leaves at Ctrl+C', async () => {
  const { postern } = await start({ 'GET /ready': { status: 503 } })
  expect((await postern('wait --url http://service.example.com')).code).toBe(2)
  const stop = new AbortController()
  const { interruptedError } = await import('../output/cli-error.ts')
  const waiting = postern('wait', { signal: stop.signal, hear: () => stop.abort(interruptedError()) })
  expect((await waiting).code).toBe(130)
})
