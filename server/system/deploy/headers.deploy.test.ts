import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cloneDatabase, settingsOf } from '../../testing/database.ts'
import { type Front, send, startCaddy, startNginx } from '../../testing/deployed.ts'
import { freePort } from '../../testing/ports.ts'
import { spawnServer } from '../../testing/process.ts'
import { testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'

// Each test starts processes.
vi.setConfig({ testTimeout: 120_000 * slack, hookTimeout: 120_000 * slack })

let port: number
let service: ReturnType<typeof spawnServer>
let front: Front | undefined
let cloned: Awaited<ReturnType<typeof cloneDatabase>>
beforeEach(async () => {
  cloned = await cloneDatabase()
  port = await freePort()
  service = spawnServer({
    ...settingsOf(cloned.database),
    BASE_URL: 'https://id.example.com',
    COOKIE_CACHE: 'on',
    PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
  })
  await service.untilListening()
})
afterEach(async () => {
  await front?.program.stop()
  await service.kill('SIGTERM')
  await cloned.drop()
})

const cookieOf = (lines: readonly string[]): string => lines.map((line) => line.split(';')[0]).join('; ')

it.each([
  ['nginx', startNginx],
  ['Caddy', startCaddy],
])('%s passes on an answer with a session cookie cache and a token, as long as both may be', async (_, start) => {
  front = await start([port, port])
  const api = `${front.url}/api/auth`
  await expect
    .poll(() =>
      send(`${api}/ready`, 'GET').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  const image = `https://example.com/${'p'.repeat(1500)}`
  const person = { email: 'ann@example.com', name: 'Ann', password: testPassword, image }
  const { cookies } = await send(`${api}/sign-up/email`, 'POST', person)
  const path = '/get-session?disableCookieCache=true'
  const direct = await send(`http://127.0.0.1:${port}/api/auth${path}`, 'GET', undefined, cookieOf(cookies))
  // Longer than what nginx takes by itself, or this test shows nothing.
  expect(direct.cookies.join('').length).toBeGreaterThan(3000)
  const { status, text } = await send(api + path, 'GET', undefined, cookieOf(cookies))
  expect([status, text]).toEqual([200, expect.stringContaining(image)])
})
