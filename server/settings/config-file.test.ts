import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createJiti } from 'jiti'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { permissionsIn } from '../../shared/permissions.ts'
import { ConfigError, keptOf, loadConfig, readGivenSettings, reuseSettings } from '../config.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { HookRefusal } from './hook-refusal.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder('config')
})

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const port = async (environment = {}) => (await loadConfig(environment, folder)).PORT

describe('a config file', () => {
  it.each([
    ['postern.config.ts', 'const port: number = 5001\nexport default { PORT: port } satisfies object'],
    ['postern.config.mjs', "import { join } from 'node:path'\nexport default { PORT: join('5001') }"],
    ['postern.config.js', 'export default { PORT: 5001 }'],
    ['postern.config.js', 'module.exports = { PORT: 5001 }'],
    ['postern.config.json', '{ "PORT": 5001 }'],
    ['postern.config.ts', '\ufeffexport default { PORT: 5001 }'],
    ['postern.config.json', '\ufeff{ "PORT": 5001 }\r\n'],
  ])('may be %s: %s', async (name, text) => {
    write(name, text)
    expect(await port()).toBe(5001)
  })

  it.each([
    ['postern.config.ts', 'const port: number = 5001\nexport default { PORT: port, afterVerifyEmail: () => 1 }'],
    ['postern.config.mjs', 'export default { PORT: await 5001, afterVerifyEmail: () => 1 }'],
    ['postern.config.js', 'export default { PORT: 5001, afterVerifyEmail: () => 1 }'],
    ['postern.config.js', 'module.exports = { PORT: 5001, afterVerifyEmail: () => 1 }'],
    ['postern.config.json', '{ "PORT": 5001, "disabledPaths": ["/ok"] }'],
  ])('that another process has read is used again as it was: %s: %s', async (name, text) => {
    write(name, text)
    const kept = keptOf(await readGivenSettings({}, folder))
    const before = await reuseSettings(kept, folder)
    write(name, 'export default { PORT: 5002,')
    const after = await reuseSettings(JSON.parse(JSON.stringify(kept)), folder)
    rmSync(join(folder, name))
    const last = await reuseSettings(kept, folder)
    for (const { texts, extensions } of [before, after, last])
      expect([texts, Object.keys(extensions)]).toEqual([{ PORT: '5001' }, Object.keys(before.extensions)])
    expect(Object.keys(before.extensions)).toHaveLength(1)
  })

  it('takes switches, lists and what is not set as JavaScript writes them', async () => {
    write(
      'postern.config.mjs',
      `export default { RATE_LIMIT: false, COOKIE_CACHE: true, TRUSTED_ORIGINS: ['https://a.example.com', 'myapp://', undefined],
        SESSION_EXPIRES_IN: '2h', MIN_PASSWORD_LENGTH: 12, HOST: undefined, LOG_FORMAT: null }`,
    )
    const config = await loadConfig({}, folder)
    expect(config).toMatchObject({
      RATE_LIMIT: false,
      COOKIE_CACHE: true,
      SESSION_EXPIRES_IN: 7200,
      MIN_PASSWORD_LENGTH: 12,
      HOST: '127.0.0.1',
    })
    expect(config.TRUSTED_ORIGINS).toHaveLength(2)
    expect(config.LOG_FORMAT).toBeUndefined()
  })

  it('takes addresses as objects, too', async () => {
    const [base, app] = ["new URL('https://id.example.com')", "new URL('https://app.example.com')"]
    write('postern.config.mjs', `export default { BASE_URL: ${base}, TRUSTED_ORIGINS: [${app}] }`)
    const { texts } = await readGivenSettings({}, folder)
    expect(texts).toEqual({ BASE_URL: 'https://id.example.com/', TRUSTED_ORIGINS: 'https://app.example.com/' })
    expect((await loadConfig({}, folder)).TRUSTED_ORIGINS).toHaveLength(1)
  })

  it.each([
    ['postern.config.ts', "export default { RATE_LIMITS: { calls: { max: 7, window: '1m' } } }"],
    ['postern.config.json', '{ "RATE_LIMITS": { "calls": { "max": 7, "window": "1m" } } }'],
  ])('sets the numbers of limits: %s', async (name, text) => {
    write(name, text)
    const { calls, visits } = (await loadConfig({}, folder)).RATE_LIMITS
    expect([calls, visits]).toEqual([
      { max: 7, window: 60 },
      { max: 5000, window: 10 },
    ])
  })

  it.each([
    ['postern.config.ts', "import { defineConfig, HookRefusal } from 'postern'\nexport default defineConfig({"],
    ['postern.config.mjs', "import { HookRefusal } from 'postern'\nexport default ({"],
    ['postern.config.js', "const { defineConfig, HookRefusal } = require('postern')\nmodule.exports = defineConfig({"],
  ])('in %s gets what it needs of postern, installed beside it or not', async (name, text) => {
    write(name, `${text} PORT: 5001, beforeDeleteUser() { throw new HookRefusal('Not today') } })`)
    const { PORT, extensions } = await loadConfig({}, folder)
    expect([PORT, extensions.beforeDeleteUser]).toEqual([5001, expect.any(Function)])
    expect(extensions.beforeDeleteUser).toThrow(HookRefusal)
  })

  it('adds permissions of the application to the roles that are there', async () => {
    const text = `import { defineConfig, organizationRoles } from 'postern'
      const owner = { ...organizationRoles.owner, project: ['create', 'delete'] }
      export default defineConfig({ roles: { ...organizationRoles, owner, member: { project: ['create'] } } })`
    write('postern.config.ts', text)
    const { roles } = await loadConfig({}, folder)
    expect(Object.keys(roles)).toEqual(['owner', 'admin', 'member'])
    expect(permissionsIn(roles.owner ?? {})).toEqual(
      expect.arrayContaining(['ac:delete', 'webhook:create', 'project:delete']),
    )
    expect(roles.member).toEqual({ project: ['create'] })
  })

  it.each(['ts', 'js'])('is kept nowhere else, and no kept copy of postern.config.%s is run', async (ending) => {
    const temporary = join(folder, 'temporary')
    const cache = join(temporary, 'jiti')
    mkdirSync(cache, { recursive: true })
    mkdirSync(join(folder, 'other', 'node_modules'), { recursive: true })
    vi.stubEnv('TMPDIR', temporary)
    try {
      const file = `postern.config.${ending}`
      write(file, 'export default { PORT: 5001 }')
      await createJiti(import.meta.url, { moduleCache: false }).import(join(folder, file))
      const [kept = ''] = readdirSync(cache)
      const planted = readFileSync(join(cache, kept), 'utf8').replace('5001', '6666')
      expect(planted).toContain('6666')
      writeFileSync(join(cache, kept), planted)
      expect(await port()).toBe(5001)
      rmSync(cache, { recursive: true })
      write(join('other', file), 'export default { PORT: 5002 }')
      expect((await loadConfig({}, join(folder, 'other'))).PORT).toBe(5002)
      expect([readdirSync(temporary), readdirSync(join(folder, 'other', 'node_modules'))]).toEqual([[], []])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is one, in a fixed order', async () => {
    write('postern.config.json', '{ "PORT": 5004 }')
    expect(await port()).toBe(5004)
    write('postern.config.mjs', 'export default { PORT: 5002 }')
    expect(await port()).toBe(5002)
    write('postern.config.ts', 'export default { PORT: 5001 }')
    expect(await port()).toBe(5001)
  })

  it.each([
    ['postern.config.json', '{ "PORT": ', /^ {2}postern\.config\.json cannot be loaded: it is not valid JSON$/],
    ['postern.config.json', '{ "SECRET": hunter2-hunter2 }', /cannot be loaded: it is not valid JSON$/],
    [
      'postern.config.json',
      '{\n  "SECRET": "hunter2"\n  "PORT": 5001\n}',
      /cannot be loaded: it is not valid JSON \(line 3, column 3\)$/,
    ],
    ['postern.config.mjs', 'export default {', /^ {2}postern\.config\.mjs cannot be loaded: /],
    ['postern.config.ts', "throw new Error('not today')", /^ {2}postern\.config\.ts cannot be loaded: not today/],
    ['postern.config.ts', "import 'no-such-package'", /^ {2}postern\.config\.ts cannot be loaded: .*no-such-package/],
    [
      'postern.config.mts',
      'export default {}',
      /^ {2}postern\.config\.mts is not read: its name has to be one of postern\.config\.ts, /,
    ],
    ['postern.config.cjs', 'module.exports = {}', /^ {2}postern\.config\.cjs is not read: /],
    ['postern.config.js', 'export default null', /^ {2}postern\.config\.js cannot be loaded: /],
    ['postern.config.js', 'export default []', /^ {2}postern\.config\.js has no object of settings/],
    ['postern.config.js', 'export default () => ({})', /^ {2}postern\.config\.js has no object of settings/],
    ['postern.config.json', '1', /^ {2}postern\.config\.json has no object of settings/],
    [
      'postern.config.json',
      '{ "BASE_URI": "x", "PORT": 1 }',
      /^ {2}postern\.config\.json sets BASE_URI, which is no setting/,
    ],
    ['postern.config.json', '{ "port": 1 }', /sets port, which is no setting/],
    [
      'postern.config.json',
      '{ "disabledPaths": ["/ok", "/sign-up"] }',
      /disabledPaths: .* none has the path "\/sign-up"$/,
    ],
    ['postern.config.json', '{ "disabledPaths": "/sign-up/email" }', /sets disabledPaths: expected a list/],
    [
      'postern.config.json',
      '{ "beforeDeleteUser": true, "roles": { "a b": {} } }',
      /sets beforeDeleteUser: expected a function; roles: expected .* letters, digits, _ and -; see "a b"$/,
    ],
    ['postern.config.json', '{ "roles": { "owner": { "user": "all" } } }', /sets roles: .*; see "owner", "user"$/],
    ['postern.config.json', '{ "PORT": { "a": 1 } }', /sets PORT: expected a text, a number, true or false, or a list/],
    [
      'postern.config.mjs',
      "export default { SECRET: () => import('node:fs').readFileSync('/run/q7', 'utf8'), HOST: [['::']] }",
      /sets SECRET: expected a text, .*; HOST: expected a text/,
    ],
    [
      'postern.config.json',
      '{ "RATE_LIMITS": { "signIns": {} } }',
      /RATE_LIMITS sets signIns: expected calls, visits, /,
    ],
    [
      'postern.config.json',
      '{ "RATE_LIMITS": { "calls": { "max": "x" } } }',
      /RATE_LIMITS\.calls\.max: expected a whole/,
    ],
    ['postern.config.json', '{ "PORT": "x" }', /PORT is "x": expected a whole number/],
  ])('that is wrong stops the start: %s with %s', async (name, text, message) => {
    write(name, text)
    const failure = await loadConfig({}, folder).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigError)
    expect((failure as Error).message.split('\n').slice(1).join('\n')).toMatch(message)
  })
})

describe('an .env file', () => {
  it('is read when there is one', async () => {
    write('.env', '# comment\nPORT=5003\nCOOKIE_PREFIX="quoted"\nOTHER=ignored\nHOST=\n')
    expect(await loadConfig({}, folder)).toMatchObject({ PORT: 5003, COOKIE_PREFIX: 'quoted', HOST: '127.0.0.1' })
  })

  it('may begin with the mark of an editor and have its line breaks', async () => {
    write('.env', '\ufeffCOOKIE_PREFIX=first\r\nPORT=5003\r\nHOST=::\r\n')
    expect(await loadConfig({}, folder)).toMatchObject({ COOKIE_PREFIX: 'first', PORT: 5003, HOST: '::' })
  })

  it('that cannot be read stops the start', async () => {
    mkdirSync(join(folder, '.env'))
    await expect(loadConfig({}, folder)).rejects.toThrow(/\.env cannot be read: /)
  })

  it('does not change the environment of this process', async () => {
    write('.env', 'POSTERN_TEST_CANARY=1\nPORT=5003')
    expect(await loadConfig({}, folder)).toMatchObject({ PORT: 5003 })
    expect(process.env.POSTERN_TEST_CANARY).toBeUndefined()
  })
})

it('the environment wins over .env, that over the file, that over the default; an empty value is none', async () => {
  expect(await port()).toBe(4100)
  write('postern.config.json', '{ "PORT": 5001, "HOST": "0.0.0.0" }')
  expect(await port()).toBe(5001)
  write('.env', 'PORT=5002')
  expect(await port()).toBe(5002)
  expect(await port({ PORT: '5003' })).toBe(5003)
  expect(await port({ PORT: '' })).toBe(5002)
  expect(await port({ PORT: undefined })).toBe(5002)
  expect((await loadConfig({}, folder)).HOST).toBe('0.0.0.0')
})
