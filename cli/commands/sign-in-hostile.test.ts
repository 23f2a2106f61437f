import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Reply, user } from '../testing/answers.ts'
import type { RunOptions } from '../testing/run-cli.ts'
import { useAnswers } from '../testing/use-service.ts'

const { service, postern } = useAnswers()
let env: Record<string, string>
beforeEach(() => {
  const browser = join(postern.folder, 'browser')
  writeFileSync(browser, `#!/bin/sh\ntouch '${join(postern.folder, 'opened')}'\n`, { mode: 0o755 })
  env = { DISPLAY: ':0', BROWSER: browser }
})

const atTerminal: RunOptions = { tty: ['stdin', 'stdout', 'stderr'] }
const page = () => `${service.url}/api/auth/page/device`

const started = (fields: object = {}): Reply => ({
  body: {
    device_code: 'the-secret',
    user_code: 'BCDF-GHJK',
    verification_uri: page(),
    verification_uri_complete: `${page()}?user_code=BCDF-GHJK`,
    expires_in: 600,
    interval: 1,
    ...fields,
  },
})
const refused = (error: string): Reply => ({ status: 400, body: { error, error_description: error } })
const handedOut: Reply = { body: { access_token: 'token', token_type: 'Bearer', expires_in: 60, scope: '' } }

/** Answers one after the other, the last one for good. */
function inTurn(...replies: Reply[]) {
  return () => (replies.length > 1 ? replies.shift() : replies[0]) as Reply
}

describe('a service that names another page', () => {
  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    '--version',
    '$(x)',
    'https://evil.example/page/device',
    'http://user:pass@localhost/page',
    'vscode://open',
    '',
  ])('%s is neither shown nor opened', async (address) => {
    for (const name of ['verification_uri', 'verification_uri_complete']) {
      service.answers['POST /device/code'] = started({ [name]: address })
      const { code, stdout, stderr } = await postern('sign-in --device', { ...atTerminal, env })
      expect([code, stdout, stderr]).toEqual([11, '', expect.not.stringContaining('Waiting')])
      expect((await postern('sign-in --start --json')).code).toBe(11)
    }
    expect(readdirSync(postern.folder)).not.toContain('opened')
  })

  it.each(['$(touch x)', '`x`', "';x"])('nor one of its own with %s in it', async (end) => {
    service.answers['POST /device/code'] = started({ verification_uri: `${page()}?${end}` })
    expect((await postern('sign-in --device', { ...atTerminal, env })).code).toBe(11)
  })

  it('may name this machine otherwise', async () => {
    service.answers['POST /device/code'] = started({ verification_uri: page().replace('localhost', '127.0.0.1') })
    expect((await postern('sign-in --start')).code).toBe(0)
  })
})

describe('what happens on the way', () => {
  const signIn = (argv = '') => postern(`sign-in --device --no-open ${argv}`.trim(), atTerminal)
  const polls = () => service.seen.filter(({ call }) => call === 'POST /device/token')

  it('sends the verifier of its challenge, and the secret in the body alone', async () => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = handedOut
    expect(await signIn()).toMatchObject({ code: 0, stdout: `Signed in as ${user.email}\n` })
    const [poll] = polls()
    const { createHash } = await import('node:crypto')
    const { code_challenge, code_challenge_method } = Object(service.seen[0]?.body) as Record<string, string>
    const { code_verifier = '', device_code } = Object(poll?.body) as Record<string, string>
    expect([code_challenge_method, code_challenge, device_code]).toEqual([
      'S256',
      createHash('sha256').update(code_verifier).digest('base64url'),
      'the-secret',
    ])
    expect(polls()[0]?.query).toEqual({})
  })

  it('goes on through faults, and waits longer when it is told to', async () => {
    service.answers['POST /device/code'] = started()
    const replies = [{ status: 502, body: 'no' }, refused('authorization_pending'), handedOut]
    service.answers['POST /device/token'] = inTurn(...replies)
    const { code, stderr } = await signIn('--wait 60s')
    expect([code, polls().length]).toEqual([0, 3])
    expect(stderr).toContain('retrying')
    expect(stderr).not.toContain('the-secret')
  })

  it('makes its interval five seconds longer for each slow_down', async () => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = refused('slow_down')
    expect((await signIn('--wait 3s')).code).toBe(8)
    expect(polls()).toHaveLength(1)
  })

  it('ends with the last fault where the wait ends in one', async () => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = { status: 500, body: {} }
    expect((await signIn('--wait 2s')).code).toBe(11)
  })

  // Another run may have been given the session, and needs the ticket to keep it.
  it.each([
    ['access_denied', 5, 0],
    ['expired_token', 4, 0],
    ['invalid_grant', 4, 1],
    ['unsupported_grant_type', 12, 1],
  ])('%s ends it with %i, and leaves %i ticket', async (error, exitCode, left) => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = refused(error)
    expect(await signIn()).toMatchObject({ code: exitCode, stdout: '' })
    expect(polls()).toHaveLength(1)
    expect(readdirSync(join(String(postern.env['POSTERN_STATE_DIR']), 'tickets'))).toHaveLength(left)
  })

  it('ends when the request does, however long the wait', async () => {
    service.answers['POST /device/code'] = started({ expires_in: 2 })
    service.answers['POST /device/token'] = refused('authorization_pending')
    expect((await signIn('--wait 1h')).code).toBe(4)
  })

  it('says so where a service has no such sign-in', async () => {
    delete service.answers['POST /device/code']
    const { code, stderr } = await signIn()
    expect([code, stderr]).toEqual([6, expect.stringContaining('does not support sign-in with a browser')])
  })

  it('keeps a session that it was given, when it cannot ask whose it is', async () => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = handedOut
    const asked = service.answers['GET /get-session']
    service.answers['GET /get-session'] = { status: 500, body: {} }
    expect((await signIn()).code).toBe(11)
    Object.assign(service.answers, { 'GET /get-session': asked })
    const [name = ''] = readdirSync(join(String(postern.env['POSTERN_STATE_DIR']), 'tickets'))
    expect((await postern(`sign-in --resume ${name.replace('.json', '')} --wait 0`)).code).toBe(0)
    expect(polls()).toHaveLength(1)
  })

  it('ends the session that it replaces only when the new one is stored', async () => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = handedOut
    await postern('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
    const file = (await postern('auth jar path')).stdout.trim()
    const view = service.answers['GET /get-session'] as { body: { session: object } }
    service.answers['GET /get-session'] = ({ headers: { authorization } }) =>
      authorization === 'Bearer token'
        ? view
        : { body: { ...view.body, session: { ...view.body.session, id: 'before', token: 'before' } } }
    let stored = ''
    service.answers['POST /sign-out'] = ({ headers }) => {
      stored = `${headers.authorization} beside ${JSON.parse(readFileSync(file, 'utf8')).token}`
      return { body: { success: true } }
    }
    expect((await signIn()).code).toBe(0)
    expect(stored).toBe('Bearer token.signature beside token')
  })
})

describe('where nothing can be stored', () => {
  const block = () => {
    const state = String(postern.env['POSTERN_STATE_DIR'])
    mkdirSync(state, { recursive: true, mode: 0o700 })
    writeFileSync(join(state, 'jars'), 'a file')
    return () => rmSync(join(state, 'jars'))
  }
  const refusal = [15, expect.stringContaining('POSTERN_STATE_DIR')]

  it('a browser sign-in is not fetched, and can still be later', async () => {
    service.answers['POST /device/code'] = started()
    service.answers['POST /device/token'] = handedOut
    const ticket = (await postern('sign-in --start -q')).stdout.trim()
    const unblock = block()
    const resume = () => postern(`sign-in --resume ${ticket} --wait 5s`)
    const { code, stderr } = await resume()
    expect([code, stderr]).toEqual(refusal)
    expect(service.calls()).toEqual(['POST /device/code'])
    unblock()
    expect((await resume()).code).toBe(0)
  })

  it('no id token is sent', async () => {
    block()
    const { code, stderr } = await postern('sign-in --provider google --id-token-file -', { stdin: 'e30.e30.e30' })
    expect([code, stderr]).toEqual(refusal)
    expect(service.calls()).not.toContain('POST /sign-in/social')
  })
})
