import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseConfig } from '../../../server/config.ts'
import { invitationUrlOf } from '../../../server/settings/invitation-url.ts'
import { freePort } from '../../../server/testing/ports.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { type OwnService, startOwnService } from '../own-service.ts'
import { patience } from '../patience.ts'
import { codeBlocks } from './markdown.ts'
import { readPage, root } from './pages.ts'

// The programs of docs/applications.md, run as they stand there.

const blocks = codeBlocks(readPage('docs/applications.md'))
const blockWith = (language: string, part: string): string =>
  blocks.find((block) => block.language === language && block.text.includes(part))?.text ?? ''

/** What a browser sends after such an answer. */
const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

describe('an application that renders its pages on its server', () => {
  let service: OwnService
  let application: ChildProcess
  let origin: string
  beforeAll(async () => {
    const port = await freePort()
    origin = `http://localhost:${port}`
    service = await startOwnService({ BASE_URL: origin, TRUSTED_PROXIES: '127.0.0.1,::1' })
    const folder = temporaryFolder('application')
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'app.mjs'), `${blockWith('js', "from 'express'")}\n${blockWith('js', 'callFor')}`)
    const env = { PATH: process.env.PATH ?? '', POSTERN: service.url, PORT: String(port) }
    application = spawn(process.execPath, ['app.mjs'], { cwd: folder, env, stdio: 'ignore' })
    await vi.waitFor(() => fetch(origin), { timeout: patience })
  })
  afterAll(async () => {
    application.kill()
    await once(application, 'exit')
    await service.stop()
  })

  const signUp = async (name: string): Promise<string> => {
    const { status, headers } = await fetch(`${origin}/api/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ name, email: `${name.toLowerCase()}@example.com`, password: testPassword }),
    })
    expect(status).toBe(200)
    return cookiesOf(headers)
  }
  const get = async (path: string, cookie = '') => {
    const answer = await fetch(`${origin}${path}`, { headers: { cookie } })
    return { status: answer.status, text: await answer.text(), cookies: answer.headers.getSetCookie() }
  }

  it('knows who is signed in, and who is not', async () => {
    const cookie = await signUp('Ann')
    expect(await get('/', cookie)).toMatchObject({ status: 200, text: '<!doctype html><h1>Hello Ann</h1>' })
    expect(await get('/me', cookie)).toMatchObject({ status: 200, text: '{"name":"Ann"}' })
    expect(await get('/')).toMatchObject({ status: 200, text: '<!doctype html><h1>Nobody is signed in</h1>' })
    expect(await get('/me')).toMatchObject({ status: 401, text: '{"message":"Sign in first"}' })
  })

  it('passes on what the answer sets: a session that has ended leaves the browser', async () => {
    const cookie = await signUp('Ben')
    await service.service.deps.sql`delete from sessions`
    const { status, cookies } = await get('/me', cookie)
    expect([status, cookies.filter((line) => /session_token=;.*Max-Age=0/i.test(line)).length]).toEqual([401, 1])
  })

  const submit = (from: string) =>
    fetch(`${origin}/sign-in`, {
      method: 'POST',
      headers: { origin: from, 'user-agent': 'Browser of Cid' },
      body: new URLSearchParams({ email: 'cid@example.com', password: testPassword }),
      redirect: 'manual',
    })

  it('signs in whoever sends its form, as the device that sent it', async () => {
    await signUp('Cid')
    const { status, headers } = await submit(origin)
    expect([status, headers.get('location')]).toEqual([303, '/'])
    expect(await get('/', cookiesOf(headers))).toMatchObject({ text: '<!doctype html><h1>Hello Cid</h1>' })
    const { sql } = service.service.deps
    expect(await sql`select id from sessions where user_agent = 'Browser of Cid'`).toHaveLength(1)
  })

  it('refuses its form when a foreign page sends it', async () => {
    const { status, headers } = await submit('https://elsewhere.example')
    expect([status, headers.getSetCookie()]).toEqual([403, []])
  })

  it('takes an outage for no answer, not for nobody', async () => {
    const cookie = await signUp('Cara')
    await service.goAway()
    expect((await get('/me', cookie)).status).toBe(500)
  })
})

it('a shell signs in by curl and asks who it is', async () => {
  const service = await startOwnService()
  const { email } = await service.person('Ann')
  const script = blockWith('sh', 'curl -s "$auth/get-session"')
    .replace('http://localhost:4100', service.url)
    .replace('you@example.com', email)
    .replace('…', testPassword)
  const cwd = temporaryFolder('curl')
  // Not the synchronous kind: the service answers from this process.
  const shell = spawn('sh', ['-e', '-c', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const said: Buffer[] = []
  shell.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  expect(await once(shell, 'close')).toEqual([0, null])
  expect(JSON.parse(Buffer.concat(said).toString())).toMatchObject({ user: { email } })
  await service.stop()
})

it('an invitation leads to the page of the application that the setting names', () => {
  const examples = Array.from(
    blockWith('sh', 'INVITATION_URL').matchAll(/^INVITATION_URL=(\S+) +# opens (\S+)$/gm),
    ([, setting = '', opens = '']) => [setting, opens] as const,
  )
  expect(examples).toHaveLength(2)
  for (const [INVITATION_URL, opens] of examples) {
    const config = parseConfig({ INVITATION_URL })
    expect(invitationUrlOf(config.INVITATION_URL ?? '', 'ID')).toBe(opens)
  }
})
