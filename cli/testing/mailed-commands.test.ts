import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { slack } from '../../server/testing/slack.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { type RealService, startRealService } from './real-service.ts'
import { createRunner } from './run-cli.ts'

// Every mailed command, one after another.
vi.setConfig({ testTimeout: 120_000 * slack })

const password = 'correct horse battery staple'
const other = 'seven purple lanterns drifting'

describe.each(['/tools/auth', '/tools/api/auth'])('of a service below %s', (BASE_PATH) => {
  let service: RealService
  beforeAll(async () => {
    service = await startRealService({ BASE_PATH, RATE_LIMIT: 'off', SEND_VERIFICATION_ON_SIGN_UP: 'on' })
  })
  afterAll(() => service.stop())

  /**
   * A machine that knows nothing of the service. A shell takes each line apart as it was pasted, and what it would start
   * runs in this process: fifty processes show nothing more.
   */
  function machine(name: string) {
    const folder = temporaryFolder(name)
    const [program, words, passwords] = ['postern', 'words', 'password'].map((file) => join(folder, file)) as [
      string,
      string,
      string,
    ]
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\0' "$@" > ${words}\nexec cat\n`)
    chmodSync(program, 0o755)
    const postern = createRunner({ env: { POSTERN_PASSWORD_FILE: passwords, POSTERN_NO_INPUT: 'on' } })
    const shell = { env: { PATH: `${folder}:${process.env.PATH}` }, input: '' }
    return async (line: string, more: { readonly password?: string; readonly env?: RealService['settings'] } = {}) => {
      writeFileSync(passwords, more.password ?? password)
      const stdin = execFileSync('/bin/sh', ['-c', line], shell).toString()
      const argv = readFileSync(words, 'utf8').split('\0').slice(0, -1)
      const { code, stdout, stderr } = await postern(argv, { stdin, ...(more.env && { env: more.env }) })
      return [line, code, stdout, stderr] as const
    }
  }

  const operator = machine('operator')
  const devMail = (flags: string) => operator(`postern dev mail ${flags}`, { env: service.settings })

  /** The commands of the last mail to somebody, as `postern dev mail` shows them. */
  async function commandsTo(email: string, kind: string): Promise<readonly string[]> {
    const [, , stdout] = await devMail('--json=to,kind,text')
    const { items } = JSON.parse(stdout) as { items: readonly Record<'to' | 'kind' | 'text', string>[] }
    const mail = items.findLast((one) => one.to === email && one.kind === kind)
    return [...(mail?.text ?? '').matchAll(/^ *((?:echo .*)?postern .*)$/gm)].map(([, line = '']) => line)
  }
  const commandTo = async (email: string, kind: string) => (await commandsTo(email, kind)).at(-1) ?? 'false'

  it('every mailed command runs as it is pasted', async () => {
    const [ann, bo] = [machine('ann'), machine('bo')]
    const at = `--url ${service.url}${BASE_PATH}`
    const ran = (line: string) => [line, 0, expect.any(String), expect.any(String)]
    const signUp = `postern sign-up --email ann@example.com --name Ann ${at}`
    expect(await ann(signUp)).toEqual(ran(signUp))

    const verify = await commandTo('ann@example.com', 'verify-email')
    expect(await ann(verify)).toEqual(ran(verify))

    const create = `postern org create Acme --slug acme ${at}`
    expect(await ann(create)).toEqual(ran(create))
    const invite = `postern invitation create bo@example.com --role member ${at}`
    expect(await ann(invite)).toEqual(ran(invite))
    const [signUpThere = 'false', accept = 'false'] = await commandsTo('bo@example.com', 'invitation')
    expect(await bo(`${signUpThere} --name Bo`)).toEqual(ran(`${signUpThere} --name Bo`))
    const verifyBo = await commandTo('bo@example.com', 'verify-email')
    expect(await bo(verifyBo)).toEqual(ran(verifyBo))
    expect(await bo(accept)).toEqual(ran(accept))

    const forgot = `postern account password forgot --email ann@example.com ${at}`
    expect(await ann(forgot)).toEqual(ran(forgot))
    const reset = await commandTo('ann@example.com', 'reset-password')
    expect(await ann(reset, { password: other })).toEqual(ran(reset))

    const change = `postern account email set bo@example.org ${at}`
    expect(await bo(change)).toEqual(ran(change))
    const agree = await commandTo('bo@example.com', 'change-email')
    expect(await bo(agree)).toEqual(ran(agree))
    const verifyNew = await commandTo('bo@example.org', 'verify-email')
    expect(await bo(verifyNew)).toEqual(ran(verifyNew))
  })

  it('the address that `dev mail` names is one that the command line takes', async () => {
    const stranger = machine('stranger')
    const [, , , told] = await devMail('')
    const address = /for a service at (\S+)\. /.exec(told)?.[1]
    const [, code, answer] = await stranger(`postern api /ok --url ${address}`)
    expect([code, answer]).toEqual([0, expect.stringContaining('true')])
  })
})
