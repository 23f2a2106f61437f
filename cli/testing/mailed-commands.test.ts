import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { bin, type RealService, startRealService } from './real-service.ts'

// Every mailed command as a process, one after another.
vi.setConfig({ testTimeout: 120_000 })

const password = 'correct horse battery staple'
const other = 'seven purple lanterns drifting'

describe.each(['/tools/auth', '/tools/api/auth'])('of a service below %s', (BASE_PATH) => {
  let service: RealService
  beforeAll(async () => {
    service = await startRealService({ BASE_PATH, RATE_LIMIT: 'off', SEND_VERIFICATION_ON_SIGN_UP: 'on' })
  })
  afterAll(() => service.stop())

  /** A machine that knows nothing of the service; lines run in a shell as they were pasted. */
  function machine(name: string) {
    const folder = temporaryFolder(name)
    const [program, passwords] = [join(folder, 'postern'), join(folder, 'password')]
    writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n`)
    chmodSync(program, 0o755)
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      POSTERN_CONFIG_DIR: folder,
      POSTERN_STATE_DIR: join(folder, 'state'),
      POSTERN_PASSWORD_FILE: passwords,
      POSTERN_NO_INPUT: 'on',
    }
    return async (line: string, more: { readonly password?: string; readonly env?: object } = {}) => {
      writeFileSync(passwords, more.password ?? password)
      return new Promise<readonly [line: string, code: unknown, stdout: string]>((resolve) => {
        execFile('/bin/sh', ['-c', line], { env: { ...env, ...more.env } }, (error, stdout, stderr) =>
          resolve([line, error?.code ?? 0, error ? stderr : stdout]),
        )
      })
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
    const ran = (line: string) => [line, 0, expect.any(String)]
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
    const [, , told] = await devMail('2>&1')
    const address = /for a service at (\S+)\. /.exec(told)?.[1]
    expect(await stranger(`postern api /ok --url ${address}`)).toEqual([expect.any(String), 0, expect.any(String)])
  })
})
