import { describe, expect, it } from 'vitest'
import { useTestService } from '../testing/use-service.ts'

const own = 'http://localhost:3000'
const trusted = 'http://app.test,https://*.wild.test,*.any.test,myapp://,tool://callback/done'

const accepted = [
  '/a',
  '/',
  '/a?b=c',
  '/a?b=%2f',
  '/a?b=%0d%0a',
  '/a/b.c-d_e+f@g',
  '/a?',
  '/a?=&=%@',
  // The same host, however it looks: nothing of it is read as an authority.
  '/@evil.com',
  '/../x',
  '/a/../b',
  '/a?b=/..//evil.com',
  '/a//evil.com',
  'http://localhost:3000',
  'http://localhost:3000/',
  'http://localhost:3000/x?y=http://evil.com#z',
  'HTTP://LOCALHOST:3000/x',
  'http://localhost:3000/%2f%2fevil.com',
  'http://localhost:3000//evil.com',
  'http://localhost:3000/@evil.com',
  'http://localhost:3000/a%20b',
  'http://localhost:3000?x',
  'http://localhost:3000#x',
  'http://app.test',
  'http://app.test:80/x',
  'HTTP://APP.TEST/x',
  'http://App.Test/x',
  'https://x.wild.test/y',
  'https://a.b.wild.test/y',
  'https://X.WILD.TEST',
  `https://x.wild.test/${'y'.repeat(4096)}?${'z'.repeat(4096)}`,
  'https://x.wild.test:443/y',
  'http://x.any.test/y',
  'https://x.any.test',
  'myapp://anything',
  'myapp://anything/at?all',
  'MYAPP://anything',
  'myapp:///x',
  'tool://callback/done',
  'tool://callback/done/now',
  'tool://callback/done?x=1',
]

const refused = [
  // Another authority behind slashes of any kind.
  '//evil.com',
  '///evil.com',
  '////evil.com',
  '//evil.com/a',
  '//localhost:3000',
  '/\\evil.com',
  '\\/evil.com',
  '\\\\evil.com',
  '\\evil.com',
  '/a\\b',
  '/a\\..\\b',
  '/%2fevil.com',
  '/%2Fevil.com',
  '/%2f%2fx',
  '/%5cevil',
  '/%5Cevil',
  '/%5c%5cevil',
  '/%252fevil.com',
  // Another authority once dot segments are resolved.
  '/..//evil.com',
  '/.//evil',
  '/..///evil.com',
  '/../..//evil.com',
  '/a/..//evil.com',
  '/a/b/../..//evil.com?c=d',
  '/./..//evil.com',
  '/../%2fevil.com',
  '/%2e%2e//evil.com',
  '/%2E//evil.com',
  '/..\\/evil.com',
  '/%09/evil.com',
  '/%0a/evil.com',
  '/%00',
  '/a/%',
  '/a/%2e%2e/b',
  // White space and control characters, which parsers drop.
  '/\t/evil.com',
  '/\n/evil.com',
  '/\r/evil.com',
  '/\tevil',
  '/a\n',
  '/a\r\n',
  '/a\0',
  '/\0/evil.com',
  '/a b',
  ' /a',
  '/a ',
  '\t/a',
  '\n//evil.com',
  ' http://localhost:3000',
  'http://localhost:3000 ',
  'http://local\thost:3000',
  'http://local\nhost:3000',
  'ht\ttp://localhost:3000',
  'http:\t//localhost:3000',
  'http:/\n/localhost:3000',
  '\u0001http://localhost:3000',
  'http://localhost:3000/\t',
  '/\u00a0/evil.com',
  '/\u2028/evil.com',
  '/\ufeff/evil.com',
  // Characters that a path here has not.
  '/a%20b',
  '/a#b',
  '#x',
  '?x=1',
  'a',
  'a/b',
  './a',
  '../a',
  '.',
  '..',
  '@evil.com',
  ':80',
  '/a:b',
  '/a;b',
  '/~a',
  '/a,b',
  "/a'b",
  '/a"b',
  '/a<b>',
  '/<script>',
  '/a|b',
  '/a^b',
  '/a`b',
  '/a{b}',
  '/a[b]',
  '/é',
  '/а',
  '/a?b=[c]',
  '/a?u=http://x',
  '/a?b=c#d',
  '/a?b=c?d',
  '/a?b=é',
  '/a?b=<',
  '/a?b=\n',
  '/a?b=\\',
  // One host in the place of another.
  'http://localhost:3000@evil.com',
  'http://localhost:3000@evil.com:3000',
  'http://localhost:3000.evil.com',
  'http://localhost:30000',
  'http://localhost:3001',
  'http://localhost',
  'http://localhost.:3000',
  'http://localhost:3000:80',
  'http://evil-localhost:3000',
  'http://localhost.evil.com:3000',
  'http://evil.com/http://localhost:3000',
  'http://evil.com#http://localhost:3000',
  'http://evil.com?http://localhost:3000',
  'http://evil.com\\@localhost:3000',
  'http://evil.com%2f@localhost:3000',
  'http://user@localhost:3000',
  'http://user:pass@localhost:3000',
  'http://:pass@localhost:3000',
  'http://:@evil.com',
  'http://@evil.com',
  'http://localhost%2eevil.com:3000',
  'http://localhost%00.evil.com:3000',
  'http://localhost%003000',
  'https://localhost:3000',
  'http://127.0.0.1:3000',
  'http://127.0.0.1.nip.io:3000',
  'http://0.0.0.0:3000',
  'http://[::1]:3000',
  'http://[::ffff:127.0.0.1]:3000',
  'http://2130706433:3000',
  'http://0x7f.1:3000',
  'http://localhost:99999',
  'http://localhost:-3000',
  'http://',
  'http://:3000',
  'http:///localhost:3000',
  'http:////localhost:3000',
  'http:localhost:3000',
  'http:/localhost:3000',
  'https:x',
  'http:',
  'http:\\\\localhost:3000',
  'http:/\\localhost:3000',
  'http://app.test.evil.com',
  'http://app.test@evil.com',
  'http://app.test:81',
  'https://app.test',
  'http://xapp.test',
  'http://app.test.',
  'http://appXtest',
  'http://app。test',
  'http://ａpp.test',
  'http://аpp.test',
  'http://app.test\u00ad',
  'http://app\u3002test',
  // A wildcard is full labels in front of its own dot, and http only.
  'x.wild.test',
  'https://wild.test',
  'https://.wild.test',
  'https://xwild.test',
  'https://x.wild.test.evil.com',
  'https://evil.com/x.wild.test',
  'https://evil.com#.wild.test',
  'https://x.wild.test@evil.com',
  'https://evil.com\\.wild.test',
  'http://x.wild.test',
  'https://x.wild.test:8443',
  // Longer than any host. To parse one can take the parser a tenth of a second.
  `https://${'x.'.repeat(1024)}wild.test`,
  'javascript://x.wild.test/%0aalert(1)',
  'javascript://x.any.test/%0aalert(1)',
  'ftp://x.any.test',
  'ws://x.any.test',
  'myapp://x.any.test@evil',
  // Schemes.
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'javascript://localhost:3000/%0aalert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'data:text/html;base64,PHN2Zz4=',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:http://localhost:3000/x',
  'filesystem:http://localhost:3000/x',
  'view-source:http://localhost:3000',
  'about:blank',
  'mailto:a@b.test',
  'ftp://localhost:3000',
  'ws://localhost:3000',
  'myapp:anything',
  'myapp:/anything',
  'myapps://anything',
  'xmyapp://anything',
  'my-app://anything',
  'tool://other/done',
  'tool://callback',
  'tool://callback/donex',
  'tool://callback/done/../../x',
  'tool://callback.evil/done',
  'tool://callback@evil/done',
  'tool:///done',
  'null',
  'undefined',
  '*',
]

const service = useTestService({ BASE_URL: own, TRUSTED_ORIGINS: trusted })

/** A call that does nothing without a session: what it says is only about the target. */
const passed = { status: 400, body: { code: 'FAILED_TO_GET_SESSION', message: 'Failed to get session' } }

describe.each(['callbackURL', 'redirectTo', 'errorCallbackURL', 'newUserCallbackURL'])('%s', (field) => {
  const stopped = { status: 403, body: { code: `INVALID_${field.toUpperCase()}`, message: `Invalid ${field}` } }
  const answered = async (path: string, body?: object) => {
    const { status, body: said } = await (body ? service.visitor().post(path, body) : service.visitor().get(path))
    return { status, body: said }
  }
  const query = (target: string) => new URLSearchParams([[field, target]]).toString()
  const table = (targets: readonly string[], ask: (target: string) => Promise<object>) =>
    Promise.all(targets.map(async (target) => [target, await ask(target)]))
  const inBody = (target: string) => answered('/sign-out', { [field]: target })
  const inQuery = (target: string) => answered(`/sign-out?${query(target)}`, {})
  const inGet = (target: string) => answered(`/get-session?${query(target)}`)

  it('takes what stays here or goes to a trusted origin, in body and query, on POST and GET', async () => {
    const expected = accepted.map((target) => [target, passed])
    expect(await table(accepted, inBody)).toEqual(expected)
    expect(await table(accepted, inQuery)).toEqual(expected)
    expect(await table(accepted, inGet)).toEqual(accepted.map((target) => [target, { status: 200, body: null }]))
  })

  it('refuses everything else, in body and query, on POST and GET', async () => {
    const targets = refused.filter((target) => !target.includes('\0'))
    const expected = targets.map((target) => [target, stopped])
    expect(await table(targets, inBody)).toEqual(expected)
    expect(await table(targets, inQuery)).toEqual(expected)
    expect(await table(targets, inGet)).toEqual(expected)
    expect(refused.length + accepted.length).toBeGreaterThan(200)
  })

  it('refuses a NUL before that', async () => {
    const { status, body } = await answered('/sign-out', { [field]: '/\0/evil.com' })
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it.each([[1], [true], [['/a']], [{}], [[]]])('refuses %j, which is no text', async (target) => {
    const { status, body } = await answered('/sign-out', { [field]: target })
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('skips an empty one', async () => {
    expect(await answered('/sign-out', { [field]: '' })).toEqual(passed)
    expect(await answered('/sign-out', { [field]: null })).toEqual(passed)
  })

  it('lets the last of several in a query count', async () => {
    expect(await answered(`/sign-out?${field}=/a&${field}=//evil.com`, {})).toEqual(stopped)
    expect(await answered(`/sign-out?${field}=//evil.com&${field}=/a`, {})).toEqual(passed)
  })
})

it('trusts nothing beside its own origin unless it is told to', async () => {
  const alone = await service.sibling({ TRUSTED_ORIGINS: ' , ,' })
  const said = await Promise.all(
    ['http://app.test', 'myapp://x', 'null', ''].map((target) =>
      alone.visitor().post('/sign-out', { callbackURL: target }),
    ),
  )
  expect(said.map(({ status }) => status)).toEqual([403, 403, 403, 400])
})
