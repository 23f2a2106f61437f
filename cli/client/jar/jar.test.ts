import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { kills, timeFor } from '../../../server/testing/rounds.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import type { Jar } from '../../accounts/accounts.ts'
import { makeFixture, spawnFixture } from '../../testing/spawn-fixture.ts'
import { withLock } from '../lock.ts'
import { openJar, removeJar } from './jar.ts'
import { jarPath } from './path.ts'

const origin = 'https://id.example.com'
const url = `${origin}/api/auth/get-session`
const session = 'postern.session_token'

let writer: string
let file: string
beforeAll(async () => {
  writer = await makeFixture('jar-writer.fixture.ts')
})
beforeEach(() => {
  file = jarPath(temporaryFolder('jar'), origin, 'me@example.com')
})

// A long wait, since fifty processes compete for the lock on a busy machine.
const open = (from = origin) => openJar(file, from, 'me@example.com', { lock: { wait: 60_000 } })
const stored = () => JSON.parse(readFileSync(file, 'utf8'))
const jarWith = async (...lines: string[]): Promise<Jar> => {
  const jar = await open()
  await jar.store(url, lines)
  return jar
}

test('a cookie is sent again, by this process and the next', async () => {
  const jar = await jarWith(`${session}=abc.de%3D; Max-Age=600; Path=/; HttpOnly; SameSite=Lax`)
  expect(await jar.cookieHeader(url)).toBe(`${session}=abc.de%3D`)
  expect(await (await open()).cookieHeader(url)).toBe(`${session}=abc.de%3D`)
  expect((await open()).isSignedIn()).toBe(true)
})

test('its attributes are kept, and its end as a time', async () => {
  await jarWith(
    '__Secure-a=1; Max-Age=600; Path=/api; Domain=example.com; Secure; HttpOnly; SameSite=Strict; Partitioned',
  )
  const [cookie] = stored().cookies
  const attributes = { domain: 'example.com', path: '/api', hostOnly: false, secure: true, httpOnly: true }
  expect(cookie).toMatchObject({ key: '__Secure-a', ...attributes, sameSite: 'strict', extensions: ['Partitioned'] })
  expect(Math.abs(Date.parse(cookie.expires) - Date.now() - 600_000)).toBeLessThan(60_000)
})

test('the path decides where a cookie goes', async () => {
  const jar = await jarWith('a=1; Path=/', 'b=2; Path=/other')
  expect(await jar.cookieHeader(url)).toBe('a=1')
})

test('a cookie ends at its time, and never later than 400 days from now', async () => {
  let now = Date.now()
  const jar = await openJar(file, origin, 'me@example.com', { now: () => now })
  await jar.store(url, ['a=1; Path=/; Max-Age=60', 'b=1; Path=/; Max-Age=99999999999', 'c=1; Path=/'])
  now += 61_000
  expect(await jar.cookieHeader(url)).toBe('b=1; c=1')
  now += 401 * 86_400_000
  expect(await jar.cookieHeader(url)).toBe('c=1')
})

test('a session that has ended is not kept on the disk', async () => {
  let now = Date.now()
  const jar = await openJar(file, origin, 'me@example.com', { now: () => now })
  await jar.store(url, [`${session}=secret; Path=/; Max-Age=60`])
  now += 61_000
  await jar.store(url, ['a=1; Path=/'])
  expect(readFileSync(file, 'utf8')).not.toContain('secret')
})

test('nothing is written before a cookie changes', async () => {
  const jar = await open()
  await jar.store(url, [])
  await jar.store(url, ['a=; Max-Age=0; Path=/'])
  await jar.store(url, ['not a cookie'])
  await jar.clear()
  expect(existsSync(file)).toBe(false)
  expect(await jar.store(url, ['a=1; Path=/'])).toEqual([])
  const { ino } = statSync(file)
  expect(await jar.store(url, ['a=1; Path=/'])).toEqual([])
  expect(statSync(file).ino).toBe(ino)
})

test('cookies go to their own origin only, and come from there only', async () => {
  const jar = await jarWith('a=1; Path=/; Domain=example.com')
  for (const other of ['https://id.example.com:8443/', 'http://id.example.com/', 'https://www.example.com/']) {
    expect(await jar.cookieHeader(other)).toBe('')
    await jar.store(other, ['b=1; Path=/'])
  }
  expect(await jar.cookieHeader(url)).toBe('a=1')
})

test.each([
  ['another host', 'a=1; Domain=example.org'],
  ['a host below', 'a=1; Domain=x.id.example.com'],
  ['a public suffix', 'a=1; Domain=com'],
  ['a two-part public suffix', 'a=1; Domain=co.uk'],
  ['__Secure- without Secure', '__Secure-a=1; Path=/'],
  ['__Host- with a domain', '__Host-a=1; Path=/; Secure; Domain=id.example.com'],
  ['__Host- below a path', '__Host-a=1; Path=/api; Secure'],
  ['__Host- without Secure', '__Host-a=1; Path=/'],
  ['__Secure- spelled otherwise', '__SECURE-a=1; Path=/'],
  ['__Host- spelled otherwise', '__host-a=1; Path=/api; Secure'],
  ['__Host- spelled otherwise, with a domain', '__hOST-a=1; Path=/; Secure; Domain=id.example.com'],
  ['a domain that ends another way', 'a=1; Domain=example.com.'],
  ['its own host, and then another', 'a=1; Domain=id.example.com; Domain=example.org'],
  ['no name', '=1'],
  ['a header in the name', 'a\r\nb=1'],
  ['a name that is no token', 'a(b=1'],
  ['a value no header can hold', 'a=\u00e9'],
  ['more than 4096 octets with its name', `ab=${'x'.repeat(4_095)}`],
])('a cookie for %s is ignored', async (_, line) => {
  const jar = await jarWith(line)
  expect(await jar.cookieHeader(url)).toBe('')
  expect(existsSync(file)).toBe(false)
})

test('a cookie of 4096 octets with its name is kept', async () => {
  const largest = `ab=${'x'.repeat(4_094)}`
  expect(await (await jarWith(largest)).cookieHeader(url)).toBe(largest)
})

test('a cookie that keeps to the rule of its prefix is kept', async () => {
  const jar = await jarWith(
    '__Host-a=1; Path=/; Secure',
    '__Secure-b=2; Path=/; Secure',
    '__SECURE-c=3; Path=/; Secure',
  )
  expect(await jar.cookieHeader(url)).toBe('__Host-a=1; __Secure-b=2; __SECURE-c=3')
})

test('a suffix that anybody may have a name below is no domain, be it a company’s', async () => {
  const own = 'https://acme.github.io'
  file = jarPath(join(file, '..', '..'), own, 'me@example.com')
  const jar = await open(own)
  const refused = await jar.store(`${own}/`, ['a=1; Domain=github.io; Path=/', 'b=1; Path=/'])
  expect([refused, await jar.cookieHeader(`${own}/`)]).toEqual([['a'], 'b=1'])
})

test('plain http on loopback keeps no Secure cookie, and names it', async () => {
  file = jarPath(join(file, '..', '..'), 'http://localhost:4100', 'me@example.com')
  const jar = await open('http://localhost:4100')
  const refused = await jar.store('http://localhost:4100/x', ['a=1; Secure; Path=/', `${session}=1; Path=/`])
  expect(refused).toEqual(['a'])
  expect(await jar.cookieHeader('http://localhost:4100/x')).toBe(`${session}=1`)
})

test('a session cookie without a value is no session', async () => {
  const jar = await jarWith(`${session}=abc; Path=/`)
  await jar.store(url, [`${session}=; Path=/`])
  expect(jar.isSignedIn()).toBe(false)
  expect(await jar.cookieHeader(url)).toBe('')
})

test('a cookie whose name only ends like that of a session is none', async () => {
  expect((await jarWith('no_session_token=abc; Path=/')).isSignedIn()).toBe(false)
})

test('a token is kept beside the cookies until it is forgotten', async () => {
  const jar = await jarWith('a=1; Path=/')
  await jar.setToken('secret.token')
  const other = await open()
  expect([other.token(), other.isSignedIn(), await other.cookieHeader(url)]).toEqual(['secret.token', true, 'a=1'])
  await other.setToken(undefined)
  expect([await jar.reload(), jar.token()]).toEqual([true, undefined])
  await expect(jar.setToken('two words')).rejects.toThrow('characters')
})

test('reading again says whether another process changed something', async () => {
  const jar = await jarWith('a=1; Path=/')
  expect(await jar.reload()).toBe(false)
  await (await open()).store(url, ['a=2; Path=/'])
  expect(await jar.cookieHeader(url)).toBe('a=1')
  expect(await jar.reload()).toBe(true)
  expect(await jar.cookieHeader(url)).toBe('a=2')
})

test('a process with an older copy loses nothing of others and brings nothing back', async () => {
  const [one, two] = [await jarWith(`${session}=s; Path=/`, 'a=1; Path=/'), await open()]
  await one.store(url, [`${session}=; Max-Age=0; Path=/`], `${session}=s`)
  await two.store(url, ['b=1; Path=/'], 'a=1')
  expect(await two.cookieHeader(url)).toBe('a=1; b=1')
  await two.store(url, [`${session}=s; Max-Age=600; Path=/`], `${session}=s; a=1`)
  expect((await open()).isSignedIn()).toBe(false)
})

test('49 refreshes around a sign-out never bring the session back, and keep all else', async () => {
  const jars = [await jarWith(`${session}=s; Path=/`), ...(await Promise.all(Array.from({ length: 49 }, open)))]
  const sent = `${session}=s`
  const refresh = `${session}=s; Path=/; Max-Age=600`
  const answers = jars.map(async (jar, at) => {
    await new Promise((done) => setTimeout(done, Math.random() * 100))
    const change = at === 25 ? `${session}=; Path=/; Max-Age=0` : refresh
    return jar.store(url, [change, `own-${at}=1; Path=/`], sent)
  })
  await Promise.all(answers)
  expect((await (await open()).cookieHeader(url)).split('; ')).toHaveLength(50)
  const last = await open()
  await last.store(url, [`${session}=s; Path=/; Max-Age=600`], sent)
  expect(last.isSignedIn()).toBe(false)
})

test('a sign-out leaves the known device in the file, for the next sign-in, and nobody is signed in by it', async () => {
  const device = 'postern.known_device'
  const jar = await jarWith(`${session}=s; Path=/`, `${device}=d; Path=/; Max-Age=600`)
  await jar.store(url, [`${session}=; Path=/; Max-Age=0`], `${session}=s; ${device}=d`)
  await jar.clear()
  const next = await open()
  expect([await next.cookieHeader(url), next.isSignedIn()]).toEqual([`${device}=d`, false])
  await removeJar(file)
  expect(await (await open()).cookieHeader(url)).toBe('')
})

test('clearing holds against an answer that was on its way', async () => {
  const [one, two] = [await jarWith(`${session}=s; Path=/`), await open()]
  await one.setToken('t')
  await one.clear()
  await two.store(url, [`${session}=s; Path=/; Max-Age=60`], `${session}=s`)
  expect([(await open()).isSignedIn(), two.isSignedIn(), stored().token]).toEqual([false, false, undefined])
})

test('file and folder are the owner’s alone whatever the umask', async () => {
  for (const umask of ['000', '022', '077']) {
    const own = join(temporaryFolder('jar'), umask, 'jars', 'j.json')
    await spawnFixture(writer, [own, origin, umask, 'many', '1']).ended
    expect(statSync(own).mode & 0o777).toBe(0o600)
    for (const folder of ['..', '../..']) expect(statSync(join(own, folder)).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(own, '..'))).toEqual(['j.json'])
  }
})

test('400 updates from 8 processes at once are all kept', async () => {
  const writers = Array.from({ length: 8 }, () => spawnFixture(writer, [file, origin, '022', 'many', '50']))
  expect(await Promise.all(writers.map((writer) => writer.ended))).toEqual(Array(8).fill(0))
  const kept = new Set(stored().cookies.map(({ key }: { key: string }) => key))
  const expected = writers.flatMap(({ pid }) => Array.from({ length: 50 }, (_, number) => `c${pid}-${number}`))
  expect(expected.filter((key) => !kept.has(key))).toEqual([])
  expect(kept.size).toBe(400)
})

test(
  'a writer killed at any moment leaves the old content or the new, and nothing locked',
  timeFor(kills, 5),
  async () => {
    const killOne = async (name: string) => {
      const own = join(file, '..', `${name}.json`)
      const doomed = spawnFixture(writer, [own, origin, '022', 'pair'])
      await doomed.hear('ready')
      await doomed.hear('kept')
      await new Promise((done) => setTimeout(done, Math.random() * 40))
      await doomed.kill()
      const last = Number(doomed.lines.at(-1)?.split(' ')[1])
      const jar = await openJar(own, origin, 'me@example.com', { lock: { wait: 60_000 } })
      const [a, b] = (await jar.cookieHeader(url)).split('; ').map((pair) => Number(pair.split('=')[1]))
      expect(a).toBe(b)
      expect([last, last + 1]).toContain(a)
      await jar.store(url, ['after=1; Path=/'])
      expect(await (await openJar(own, origin, 'me@example.com')).cookieHeader(url)).toContain('after=1')
    }
    for (let round = 0; round < kills; round++) {
      await Promise.all([0, 1, 2, 3].map((lane) => killOne(`${round}-${lane}`)))
    }
  },
)

test(
  'while a session is replaced others always find one, and so they do after a kill at any moment',
  timeFor(kills, 5),
  async () => {
    for (let round = 0; round < kills; round++) {
      const own = join(file, '..', `${round}.json`)
      const openOwn = () => openJar(own, origin, 'me@example.com', { lock: { wait: 60_000 } })
      await (await openOwn()).store(url, [`${session}=old; Path=/`])
      const doomed = spawnFixture(writer, [own, origin, '022', 'adopt', '8'])
      await doomed.hear('ready')
      const found: boolean[] = []
      while (doomed.lines.length < 20) found.push((await openOwn()).isSignedIn())
      await doomed.kill()
      found.push((await openOwn()).isSignedIn())
      expect(found).not.toContain(false)
      await (await openOwn()).replaceSession('after')
      expect([(await openOwn()).token(), await (await openOwn()).cookieHeader(url)]).toEqual(['after', ''])
    }
  },
)

test.runIf(process.platform === 'linux')('a session whose successor cannot be written is kept', async () => {
  await jarWith(`${session}=old; Path=/`)
  // Files of more than a kilobyte are refused, as by a full disk.
  const limited = ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, writer]
  const { stdout } = spawnSync('sh', [...limited, file, origin, '022', 'adopt', '2000'], { encoding: 'utf8' })
  expect(stdout).toMatch(/^ready\nfailed: Cannot write .+\n$/)
  expect(await (await open()).cookieHeader(url)).toBe(`${session}=old`)
  expect(readdirSync(join(file, '..'))).toEqual([basename(file)])
})

test('removing takes the file away, whatever it holds', async () => {
  await jarWith('a=1; Path=/')
  expect(existsSync(file)).toBe(true)
  await removeJar(file)
  expect(existsSync(file)).toBe(false)
  await removeJar(file)
})

test('removing waits for whoever writes, so that nothing is written afterwards', async () => {
  await jarWith('a=1; Path=/')
  const done: string[] = []
  const removal = await withLock(file, {}, async () => {
    const removing = removeJar(file).then(() => done.push('removed'))
    await new Promise((wait) => setTimeout(wait, 100))
    done.push('written')
    return { removing }
  })
  await removal.removing
  expect(done).toEqual(['written', 'removed'])
})
