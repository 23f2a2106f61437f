import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRunner, type Runner, type RunOptions } from '../testing/run-cli.ts'

let server: Server
let origin: string
let postern: Runner
let started: Record<string, unknown>
let polled: { readonly status: number; readonly body: object }
beforeAll(async () => {
  server = createServer((request, response) => {
    const { status, body } = request.url?.endsWith('/device/code') ? { status: 200, body: started } : polled
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  postern = createRunner({ env: { POSTERN_URL: origin } })
  polled = { status: 400, body: { error: 'authorization_pending', error_description: 'x' } }
  started = {
    device_code: 'd'.repeat(43),
    user_code: 'BBBB-BBBB',
    verification_uri: `${origin}/page`,
    verification_uri_complete: `${origin}/page`,
    expires_in: 600,
    interval: 1,
  }
})

const atTerminal: RunOptions = { tty: ['stdin', 'stdout', 'stderr'] }
const escapes = '\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u202e\u009b31m'
/** What a terminal would obey; our own colours and the countdown's line excepted. */
const obeyed = (text: string) => text.replaceAll(/\r?\p{Cc}\[(?:2K|\d{1,2}m)/gu, '').match(/[^\n\P{C}]/gu)

describe('a service that answers a sign-in with escape sequences', () => {
  it('writes none to a terminal as a code', async () => {
    started.user_code = `BBBB${escapes}`
    const { stderr, stdout } = await postern('sign-in --device --no-open --wait 1s', atTerminal)
    expect([obeyed(stderr), obeyed(stdout)]).toEqual([null, null])
  })

  it.each(['a terminal', 'a log'])('writes none to %s while it is polled', async (where) => {
    const { ticket } = (await postern('sign-in --start --json')).json as { ticket: string }
    polled = { status: 500, body: { message: `no${escapes}`, code: 'X' } }
    const options = where === 'a terminal' ? atTerminal : {}
    const { stderr, stdout } = await postern(`sign-in --resume ${ticket} --wait 3s`, options)
    expect([obeyed(stderr), obeyed(stdout)]).toEqual([null, null])
  })
})

describe('a service that names another page, or times that are none', () => {
  it.each(['javascript:alert(1)', 'file:///etc/passwd', '--flag', 'http://u:p@127.0.0.1/', `\${x}`, ''])(
    'refuses %j',
    async (uri) => {
      started.verification_uri = uri
      expect(await postern('sign-in --start')).toMatchObject({
        code: 11,
        stdout: '',
        stderr: expect.stringContaining(`error: The service sent an address that cannot be opened: ${uri}\n`),
      })
    },
  )

  it('refuses another address', async () => {
    started.verification_uri = 'https://evil.example/'
    expect(await postern('sign-in --start')).toMatchObject({
      code: 11,
      stdout: '',
      stderr: expect.stringContaining(`${origin} sent a page at another address: https://evil.example\n`),
    })
  })

  it.each([
    [{ interval: -1 }, 8, 'Not approved yet'],
    [{ interval: 1e300 }, 8, 'Not approved yet'],
    [{ expires_in: 1e300 }, 8, 'Not approved yet'],
    [{ expires_in: -1e300 }, 4, 'This sign-in was not approved in time'],
    [{ interval: 'x' }, 11, 'The service gave an unexpected answer'],
    [{ expires_in: null }, 11, 'The service gave an unexpected answer'],
  ])('ends in time with %j', async (change, code, sentence) => {
    Object.assign(started, change)
    const ended = await postern('sign-in --device --no-open --wait 1s', atTerminal)
    expect([ended.code, ended.stdout]).toEqual([code, ''])
    expect(ended.stderr).toContain(sentence)
  })
})
