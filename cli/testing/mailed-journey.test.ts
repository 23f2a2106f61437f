import { writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Environment } from '../../server/config.ts'
import { drain, listen } from '../../server/process/listen.ts'
import { readMails } from '../../server/testing/mails.ts'
import { freePort } from '../../server/testing/ports.ts'
import { createTestService, type TestService } from '../../server/testing/service.ts'
import { createRunner } from './run-cli.ts'

const password = 'correct horse battery staple'
const other = 'seven purple lanterns drifting'
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** The service on a real socket; its mails wait in the outbox. */
async function start(settings: Environment = {}) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const service: TestService = await createTestService({ PORT: String(port), BASE_URL: url, ...settings })
  closing.push(() => service.stop())
  const server: Server = await listen(service.deps.config, service.app.fetch)
  closing.push(() => drain(server, 0))
  const machine = () => {
    const postern = createRunner({ env: { POSTERN_URL: url } })
    const signUp = (email: string) =>
      postern(`sign-up --email ${email} --name Ann --password-file -`, { stdin: password })
    const signIn = (email: string, stdin = password) => postern(`sign-in --email ${email} --password-file -`, { stdin })
    return Object.assign(postern, { signUp, signIn })
  }
  const mailTo = async (address: string, kind: string) => {
    const found = (await readMails(service)).findLast((mail) => mail.to === address && mail.kind === kind)
    return found?.url ?? `no ${kind} mail to ${address}`
  }
  return { machine, mailTo }
}

function fileOf(folder: string, text: string): string {
  const path = join(folder, 'secret')
  writeFileSync(path, `${text}\n`)
  return path
}

const verified = { stdout: expect.stringMatching(/"emailVerified":true/) }

describe('an address', () => {
  it('is verified by the link of its mail, and then asked before another takes its place', async () => {
    const { machine, mailTo } = await start()
    const laptop = machine()
    await laptop.signUp('ann@example.com')
    expect((await laptop('account email set ann@example.org')).stdout).toBe('The address is now ann@example.org\n')
    expect((await laptop('whoami')).stdout).toBe('ann@example.org (Ann)\n')

    await laptop(['account', 'email', 'verify', await mailTo('ann@example.org', 'verify-email')])
    expect(await laptop('whoami --json=emailVerified')).toMatchObject(verified)
    expect((await laptop('account email verify --send --json')).json).toMatchObject({ status: 'unchanged' })

    expect((await laptop('account email set ann@example.net --json')).json).toMatchObject({
      status: 'planned',
      resource: { email: 'ann@example.org', newEmail: 'ann@example.net' },
    })
    const consent = await mailTo('ann@example.org', 'change-email')
    const stranger = machine()
    await stranger.signUp('eve@example.com')
    expect((await stranger(['account', 'email', 'verify', consent])).code).toBe(4)
    expect((await laptop('account email verify -', { stdin: `<${consent}>\n` })).stdout).toBe(
      'The address is now ann@example.net\n',
    )
    expect((await laptop('auth list -q')).stdout).toBe('ann@example.net\n')
    await laptop(['account', 'email', 'verify', await mailTo('ann@example.net', 'verify-email')])
    expect(await laptop('whoami --json=email,emailVerified')).toMatchObject({
      stdout: '{"email":"ann@example.net","emailVerified":true}\n',
    })
    const again = await laptop(['account', 'email', 'verify', consent])
    expect([again.code, again.stderr.split('\n')[0]]).toEqual([6, 'error: There is no account for this link.'])
  })

  it('is changed in the session of its own account, whoever is current', async () => {
    const { machine, mailTo } = await start()
    const laptop = machine()
    await laptop.signUp('kim@example.com')
    await laptop('account email verify --send')
    await laptop(['account', 'email', 'verify', await mailTo('kim@example.com', 'verify-email')])
    await laptop('account email set kim@example.org')
    await laptop.signUp('lee@example.com')
    const consent = await mailTo('kim@example.com', 'change-email')
    expect((await laptop(['account', 'email', 'verify', consent])).stdout).toBe('The address is now kim@example.org\n')
    expect((await laptop('auth list -q')).stdout).toBe('kim@example.org\nlee@example.com\n')
    expect((await laptop('whoami')).stdout).toBe('lee@example.com (Ann)\n')
    expect((await laptop('whoami -A kim@example.org')).stdout).toBe('kim@example.org (Ann)\n')
  })

  it('lets nobody in before it is verified, where that is asked for', async () => {
    const { machine, mailTo } = await start({ REQUIRE_EMAIL_VERIFICATION: 'on' })
    const laptop = machine()
    expect((await laptop.signUp('bo@example.com')).stderr).toContain('postern account email verify LINK')
    const refused = await laptop.signIn('bo@example.com')
    expect(refused.code).toBe(5)
    expect(refused.stderr).toContain('postern account email verify LINK')
    const link = await mailTo('bo@example.com', 'verify-email')
    expect((await laptop(['account', 'email', 'verify', link])).stderr).toContain('postern sign-in --email bo@')
    expect((await laptop.signIn('bo@example.com')).code).toBe(0)
  })

  it('signs in by its link, where that is allowed', async () => {
    const { machine, mailTo } = await start({
      REQUIRE_EMAIL_VERIFICATION: 'on',
      AUTO_SIGN_IN_AFTER_VERIFICATION: 'on',
    })
    const laptop = machine()
    await laptop.signUp('cy@example.com')
    const link = await mailTo('cy@example.com', 'verify-email')
    expect((await laptop(['account', 'email', 'verify', link])).stdout).toContain('and signed in with it')
    expect((await laptop('whoami')).stdout).toBe('cy@example.com (Ann)\n')
  })
})

describe('a password', () => {
  it('that was forgotten is set by the link of a mail, which ends every session', async () => {
    const { machine, mailTo } = await start()
    const laptop = machine()
    await laptop.signUp('dan@example.com')
    expect((await machine()('account password forgot --email dan@example.com')).code).toBe(0)
    const link = await mailTo('dan@example.com', 'reset-password')
    const reset = (stdin: string) => laptop(['account', 'password', 'reset', link, '--password-file', '-'], { stdin })
    expect((await reset('short')).code).toBe(12)
    expect((await reset(other)).code).toBe(0)
    expect((await reset(password)).code).toBe(12)
    expect((await laptop('whoami')).code).toBe(4)
    expect((await laptop.signIn('dan@example.com')).code).toBe(4)
    expect((await laptop.signIn('dan@example.com', other)).code).toBe(0)
  })

  it('is changed with the old one; the other sessions end when that is asked for, this one never', async () => {
    const { machine } = await start()
    const [laptop, server] = [machine(), machine()]
    await laptop.signUp('eli@example.com')
    await server.signIn('eli@example.com')
    const asked = `account password set --password-file - --current-password-file`
    expect((await laptop(`${asked} ${fileOf(laptop.folder, 'wrong one here')}`, { stdin: other })).code).toBe(4)
    expect((await laptop(`${asked} ${fileOf(laptop.folder, password)}`, { stdin: other })).code).toBe(0)
    expect((await server('whoami')).code).toBe(0)
    const again = await laptop(`${asked} ${fileOf(laptop.folder, other)} --revoke-others`, { stdin: password })
    expect(again.code).toBe(0)
    expect([(await laptop('whoami')).code, (await server('whoami')).code]).toEqual([0, 4])
    const { json } = await laptop('session list --json')
    expect(json).toMatchObject({ items: [{ current: true }] })
  })

  it('is changed by who speaks with a token, whose session goes on', async () => {
    const { machine } = await start()
    const [laptop, server] = [machine(), machine()]
    await laptop.signUp('flo@example.com')
    await server.signIn('flo@example.com')
    const token = (await laptop('auth token')).stdout.trim()
    const file = fileOf(laptop.folder, password)
    const argv = `account password set --current-password-file ${file} --password-file - --revoke-others`
    const runner = createRunner({ env: { ...laptop.env, POSTERN_TOKEN: token } })
    expect((await runner(argv, { stdin: other })).code).toBe(0)
    expect([(await runner('whoami')).code, (await server('whoami')).code]).toEqual([0, 4])
  })
})

describe('an account', () => {
  it('is deleted with its password and its exact address', async () => {
    const { machine } = await start()
    const laptop = machine()
    await laptop.signUp('gus@example.com')
    const remove = 'account delete --confirm gus@example.com --password-file -'
    expect((await laptop(remove, { stdin: other })).code).toBe(4)
    expect((await laptop(remove, { stdin: password })).stdout).toBe('Deleted gus@example.com\n')
    expect((await laptop('auth list -q')).stdout).toBe('')
    expect((await laptop.signIn('gus@example.com')).code).toBe(4)
  })

  it('is deleted by the link of a mail, in a session of its own only', async () => {
    const { machine, mailTo } = await start({ DELETE_USER_MODE: 'email' })
    const laptop = machine()
    await laptop.signUp('hal@example.com')
    const remove = 'account delete --confirm hal@example.com'
    expect((await laptop(`${remove} --json`)).json).toMatchObject({ status: 'planned' })
    expect((await laptop('whoami')).code).toBe(0)
    const stdin = await mailTo('hal@example.com', 'delete-account')
    const stranger = machine()
    await stranger.signUp('ivo@example.com')
    expect((await stranger('account delete --confirm ivo@example.com --token-file -', { stdin })).code).toBe(12)
    expect((await laptop(`${remove} --token-file -`, { stdin })).stdout).toBe('Deleted hal@example.com\n')
    expect((await laptop.signIn('hal@example.com')).code).toBe(4)
  })
})
