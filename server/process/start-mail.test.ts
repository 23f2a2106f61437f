import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseConfig } from '../config.ts'
import { cloneDatabase, settingsOf } from '../testing/database.ts'
import { patient } from '../testing/process.ts'
import { testPassword } from '../testing/service.ts'
import { testSecret } from '../testing/settings.ts'
import { type MailServer, startMailServer } from '../testing/smtp.ts'
import { createLog } from './log.ts'
import { type Service, startService } from './start.ts'

let cloned: Awaited<ReturnType<typeof cloneDatabase>>
let server: MailServer
let service: Service | undefined
beforeEach(async () => {
  cloned = await cloneDatabase()
  server = await startMailServer()
})
afterEach(async () => {
  await service?.stop({ notice: 0 })
  await server.stop()
  await cloned.drop()
})

/** Starts a service; what it logs can be read as text. */
async function start(settings: Record<string, string>): Promise<() => string> {
  let logged = ''
  const stream = new PassThrough().setEncoding('utf8').on('data', (text: string) => {
    logged += text
  })
  const secret = { SECRET: testSecret, RATE_LIMIT: 'off', DATABASE_POOL: '4', PORT: '0' }
  const config = parseConfig({ ...secret, ...settingsOf(cloned.database), ...settings })
  service = await startService(config, await createLog(config, stream), patient)
  return () => logged
}

const post = (path: string, body: object) =>
  fetch(`${service?.url}/api/auth${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const signUp = async (name: string) =>
  (await post('/sign-up/email', { email: `${name}@example.com`, name, password: testPassword })).status
const smtp = () => ({ SMTP_URL: server.url, MAIL_FROM: 'no-reply@example.com', SEND_VERIFICATION_ON_SIGN_UP: 'on' })

describe('a service with SMTP', () => {
  // It looks every five seconds by itself: without being told, so many in a row would take longer than this test may.
  it('sends each mail as soon as it is asked for', async () => {
    await start(smtp())
    for (let sent = 1; sent <= 64; sent += 1) {
      expect(await signUp(`ann-${sent}`)).toBe(200)
      await expect.poll(() => server.mails.length).toBe(sent)
      expect(server.mails.at(-1)?.to).toEqual([`ann-${sent}@example.com`])
    }
  })

  it('answers while the mail server stalls, and stops in spite of it', async () => {
    server.behaviour = 'stall'
    await start(smtp())
    expect(await signUp('ann')).toBe(200)
    await expect.poll(() => server.tries).toBe(1)
    for (const email of ['ann@example.com', 'nobody@example.com'])
      expect((await post('/forget-password', { email })).status).toBe(200)
    expect(server.mails).toEqual([])
  })
})

describe('a service in production without a way to send', () => {
  it('says once that its mails stay, and logs none of their links', async () => {
    const settings = { NODE_ENV: 'production', BASE_URL: 'https://id.example.com', SEND_VERIFICATION_ON_SIGN_UP: 'on' }
    const logged = await start(settings)
    expect(await signUp('ann')).toBe(200)
    expect(logged().match(/mails stay in the outbox/g)).toHaveLength(1)
    expect(logged()).not.toMatch(/verify-email|ann@/)
  })
})
