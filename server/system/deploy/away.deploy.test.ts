import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { type Front, send, startCaddy, startNginx } from '../../testing/deployed.ts'
import { freePort } from '../../testing/ports.ts'
import { slack } from '../../testing/slack.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { readSample } from './samples.ts'

// Caddy looks for an instance for five seconds.
vi.setConfig({ testTimeout: 60_000 * slack })

let front: Front | undefined
afterEach(() => front?.program.stop())

const link = '/api/auth/verify-email?token=SECRETTOKEN'

/** The proxy without an instance, once it answers. */
async function started(start: typeof startNginx): Promise<Front> {
  front = await start([await freePort(), await freePort()])
  const { url } = front
  await expect
    .poll(() =>
      send(`${url}${link}`, 'POST', {}).then(
        ({ status }) => status > 500,
        () => false,
      ),
    )
    .toBe(true)
  return front
}

it('nginx writes no token of a mailed link into its logs', async () => {
  const { url, folder, program } = await started(startNginx)
  expect((await send(`${url}${link}`, 'GET')).status).toBe(502)
  expect(`${program.output}${readFileSync(join(folder, 'access.log'), 'utf8')}`).not.toContain('SECRETTOKEN')
})

it('Caddy writes no token of a mailed link into its log', async () => {
  // It writes nothing of a failure that the sample answers.
  const unanswered = readSample('caddy/Caddyfile').replace(/^\thandle_errors \{\n[^]*?^\t\}\n/m, '')
  const config = join(temporaryFolder('caddy'), 'Caddyfile')
  writeFileSync(config, unanswered)
  const { url, program } = await started((ports) => startCaddy(ports, config))
  expect((await send(`${url}${link}`, 'GET')).status).toBe(503)
  await expect.poll(() => program.output).toContain('no upstreams available')
  expect(program.output).not.toContain('SECRETTOKEN')
})

it('Caddy says that a request may come again, if no instance got it', async () => {
  const { url } = await started(startCaddy)
  const { status, text, headers } = await send(`${url}/api/auth/sign-in/email`, 'POST', {})
  expect([status, JSON.parse(text)]).toEqual([503, { code: 'SERVICE_UNAVAILABLE', message: 'Service unavailable' }])
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'retry-after': '1',
    'x-retry-after': '1',
    'cache-control': 'no-store',
  })
})
