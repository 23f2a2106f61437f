import { chmodSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../config.ts'
import { testSecret } from '../testing/settings.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { fileKeyOf, isSetting } from './names.ts'
import { SettingsSchema } from './schema.ts'

const all = temporaryFolder('setting-files')
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(all, 'one-'))
})

function file(content: string | Buffer, mode = 0o400): string {
  const path = join(folder, 'value')
  writeFileSync(path, content, { mode })
  chmodSync(path, mode)
  return path
}

const complaint = (environment: Record<string, string>): Promise<string> =>
  loadConfig(environment, folder).then(
    () => 'accepted',
    (error: Error) => `${error.name}: ${error.message}`,
  )

describe('NAME_FILE', () => {
  it.each([
    ['without a line break', testSecret],
    ['with one', `${testSecret}\n`],
    ['with one of Windows', `${testSecret}\r\n`],
  ])('gives NAME as the content of a file %s', async (_, content) => {
    expect((await loadConfig({ SECRET_FILE: file(content) }, folder)).SECRETS).toEqual([testSecret])
  })

  it.each([0o400, 0o440, 0o600, 0o640])(
    'gives a secret that nobody else can read or change (mode %o)',
    async (mode) => {
      expect((await loadConfig({ SECRET_FILE: file(testSecret, mode) }, folder)).SECRETS).toEqual([testSecret])
    },
  )

  it('keeps all but the last line break, so that a key of several lines stays one', async () => {
    expect(await complaint({ MAIL_FROM_FILE: file('a@example.com\n\n'), MAIL_FROM: '' })).toContain(
      'MAIL_FROM is "a@example.com\\n"',
    )
  })

  it('works for settings of providers, in .env and in the config file, from the working folder on', async () => {
    file('a-client-secret')
    writeFileSync(join(folder, '.env'), 'GOOGLE_CLIENT_ID=id\nGOOGLE_CLIENT_SECRET_FILE=value')
    writeFileSync(join(folder, 'port'), '5000')
    writeFileSync(join(folder, 'postern.config.json'), '{ "PORT_FILE": "port" }')
    const { providers, PORT } = await loadConfig({}, folder)
    expect([providers[0]?.registration.clientSecret, PORT]).toEqual(['a-client-secret', 5000])
  })

  it('of a stronger place wins over NAME of a weaker one, and the other way round', async () => {
    writeFileSync(join(folder, '.env'), 'PORT=5001\nMETRICS_PORT_FILE=missing')
    const { PORT, METRICS_PORT } = await loadConfig({ PORT_FILE: file('5002', 0o644), METRICS_PORT: '5003' }, folder)
    expect([PORT, METRICS_PORT]).toEqual([5002, 5003])
  })

  it('is refused beside NAME in the same place', async () => {
    expect(await complaint({ SECRET: testSecret, SECRET_FILE: file(testSecret) })).toBe(
      'ConfigError: The settings are invalid:\n  SECRET and SECRET_FILE are both set (environment): expected one of them',
    )
  })

  it('leaves other names of the environment alone', async () => {
    expect(await complaint({ LOG_FILE: '/nowhere', _FILE: '/nowhere', POSTERN_PASSWORD_FILE: '/nowhere' })).toBe(
      'accepted',
    )
  })
})

describe('a file that cannot be used', () => {
  it.each<[string, () => string, string]>([
    ['is empty', () => file(''), 'the file is empty: expected the value of SECRET'],
    ['has only a line break', () => file('\n'), 'the file is empty'],
    ['can be read by everybody', () => file(testSecret, 0o444), 'other users may read or change the file (mode 0444)'],
    [
      'can be changed by its group',
      () => file(testSecret, 0o660),
      'other users may read or change the file (mode 0660)',
    ],
    ['is no text', () => file(Buffer.from([0xff, 0xfe])), 'expected text in UTF-8'],
    ['is too large', () => file('x'.repeat(65_537)), 'the file has 65537 bytes: expected at most 65536'],
    ['is a folder', () => folder, 'expected a file'],
  ])('stops the start when it %s', async (_, path, problem) => {
    const named = path()
    expect(await complaint({ SECRET_FILE: named })).toContain(`SECRET_FILE is ${JSON.stringify(named)}: ${problem}`)
  })

  it('is named, with the reason of the system', async () => {
    const loop = join(folder, 'loop')
    symlinkSync(loop, loop)
    const host = join(folder, 'host')
    const message = await complaint({ SECRET_FILE: loop, HOST_FILE: host })
    expect(message).toContain(`SECRET_FILE is "${loop}": the file cannot be read (ELOOP)`)
    expect(message).toContain(`HOST_FILE is "${host}": no such file`)
  })

  it('is not repeated if there is none, because it may be the secret itself', async () => {
    const message = await complaint({ SECRET_FILE: testSecret, DATABASE_URL_FILE: `postgres://a:${testSecret}@db/id` })
    expect(message).toContain('SECRET_FILE is (hidden): no such file: expected the path of a file that contains SECRET')
    expect(message).toContain('DATABASE_URL_FILE is (hidden)')
    expect(message).not.toContain(testSecret)
  })

  it('keeps its content to itself when the value is wrong', async () => {
    const message = await complaint({ SMTP_URL_FILE: file('http://me:hunter2@mail') })
    expect(message).toContain('SMTP_URL is (hidden): expected an address like smtp://')
    expect(message).not.toContain('hunter2')
    const undecoded = await complaint({ DATABASE_URL_FILE: file('postgres://me:100%@db/id') })
    expect(undecoded).toContain('DATABASE_URL is (hidden): expected an address with %25 in place of each %')
    expect(undecoded).not.toContain('100%@')
  })
})

it('no setting has a name that could be the file of another', () => {
  for (const name of Object.keys(SettingsSchema.shape)) expect(isSetting(fileKeyOf(name))).toBe(false)
})
