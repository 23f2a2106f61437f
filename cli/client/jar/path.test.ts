import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { fuzzRuns } from '../../../server/testing/rounds.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { LocalStateError } from '../errors.ts'
import { writePrivate } from './file.ts'
import { openJar, removeJar } from './jar.ts'
import { jarPath, listJars, mightHaveJar } from './path.ts'

const origin = 'https://id.example.com'
const url = `${origin}/api/auth/ok`
const me = 'me@example.com'

let state: string
let file: string
beforeEach(async () => {
  state = temporaryFolder('load')
  file = jarPath(state, origin, me)
  await (await openJar(file, origin, me)).store(url, ['a=1; Path=/; Max-Age=600', 'b=2; Path=/'])
})

const open = () => openJar(file, origin, me)
const jarError = async (): Promise<LocalStateError> => {
  const error = await open().catch((thrown: unknown) => thrown)
  if (!(error instanceof LocalStateError)) throw new Error(`not refused: ${String(error)}`)
  expect(error).toMatchObject({ exitCode: 15, hint: expect.stringMatching(/./) })
  return error
}
const write = (text: string) => writeFileSync(file, text, { mode: 0o600 })
const filesIn = () =>
  readdirSync(dirname(file))
    .map((name) => join(dirname(file), name))
    .toSorted()
const keptCopies = () => readdirSync(dirname(file)).filter((name) => name.endsWith('.kept'))

test.each([0o604, 0o640, 0o660, 0o644])('a file that others can read (%o) is refused', async (mode) => {
  chmodSync(file, mode)
  expect(await jarError()).toMatchObject({
    message: expect.stringContaining('Others can read'),
    hint: `Run: chmod 600 ${file}`,
  })
})

test('a symbolic link is refused, and what it leads to stays as it was', async () => {
  const target = join(state, 'target.json')
  writeFileSync(target, readFileSync(file), { mode: 0o600 })
  await removeJar(file)
  symlinkSync(target, file)
  expect((await jarError()).message).toContain('symbolic link')
  await removeJar(file)
  expect(readFileSync(target, 'utf8')).toContain('"a"')
})

test('a link put in place of the draft is not written through', async () => {
  const target = join(state, 'victim')
  writeFileSync(target, 'untouched')
  symlinkSync(target, `${file}.tmp`)
  lutimesSync(`${file}.tmp`, 1, 1)
  await (await open()).store(url, ['c=3; Path=/'])
  expect(readFileSync(target, 'utf8')).toBe('untouched')
  linkSync(target, `${file}.tmp`)
  await (await open()).store(url, ['d=4; Path=/'])
  expect(readFileSync(target, 'utf8')).toBe('untouched')
})

const uuid = '0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c'

test('the drafts of killed writers go with the next write, the young ones and those of other files stay', async () => {
  const old = ['tmp', `${uuid}.tmp`].map((ending) => `${file}.${ending}`)
  const others = [
    `${file}.${uuid.replace('0', '1')}.tmp`,
    join(dirname(file), `other.json.${uuid}.tmp`),
    `${file}.x.tmp`,
  ]
  for (const draft of [...old, ...others]) writeFileSync(draft, 'half of a j', { mode: 0o600 })
  for (const draft of [...old, ...others.slice(1)]) utimesSync(draft, 1, 1)
  await (await open()).store(url, ['c=3; Path=/'])
  expect(filesIn()).toEqual([file, ...others].toSorted())
  await removeJar(file)
  expect(filesIn()).toEqual(others.slice(1).toSorted())
})

test('two writers at once, one of whose locks was taken away, each write the whole of their own', async () => {
  const texts = ['a'.repeat(2_000_000), 'b'.repeat(1_000_000)]
  for (let round = 0; round < 10; round++) {
    await Promise.all(texts.map((text) => writePrivate(file, text)))
    expect(texts).toContain(readFileSync(file, 'utf8'))
  }
  expect([filesIn(), statSync(file).mode & 0o777]).toEqual([[file], 0o600])
})

// A crash of the machine may keep a rename and lose what was written before it, or lose the rename.
test('what is written is on the disk before it replaces the old, and its name is soon after', async () => {
  const handle = await openFile(file)
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const synced: unknown[] = []
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    const stats = await this.stat()
    synced.push([stats.isDirectory() ? 'folder' : `${stats.size} bytes`, readFileSync(file, 'utf8')])
  })
  onTestFinished(() => spy.mockRestore())
  write('old')
  await writePrivate(file, 'newer')
  expect(synced).toEqual([
    ['5 bytes', 'old'],
    ['folder', 'newer'],
  ])
})

test.runIf(process.getuid?.() === 0)('a file or folder of somebody else is refused', async () => {
  chownSync(file, 65_534, 65_534)
  expect((await jarError()).message).toContain('belongs to another user')
  chownSync(file, 0, 0)
  chownSync(dirname(file), 65_534, 65_534)
  expect((await jarError()).message).toContain('belongs to another user')
  await expect(removeJar(file)).rejects.toThrow('belongs to another user')
  expect(readdirSync(dirname(file))).toEqual([basename(file)])
})

test.each(['the folder of the jars', 'the one above'])(
  '%s is refused when others can write there, before a jar is read',
  async (which) => {
    const folder = which === 'the one above' ? state : dirname(file)
    for (const mode of [0o777, 0o1777, 0o770, 0o707]) {
      chmodSync(folder, mode)
      expect(await jarError()).toMatchObject({
        message: `Others can write in ${folder}`,
        hint: `Run: chmod 700 ${folder}`,
      })
    }
    chmodSync(folder, 0o755)
    await open()
  },
)

test('that nothing could be kept is known before a session is asked for', async () => {
  chmodSync(state, 0o755)
  await expect((await open()).checkWritable()).rejects.toThrow(`Others can enter ${state}`)
})

test('a folder that others can enter is refused before anything is written', async () => {
  chmodSync(dirname(file), 0o755)
  await expect((await open()).store(url, ['c=3; Path=/'])).rejects.toThrow('Others can enter')
  expect(readFileSync(file, 'utf8')).not.toContain('"c"')
})

test('a folder, or a pipe that nobody writes to, is refused at once', async () => {
  await removeJar(file)
  mkdirSync(file, { mode: 0o700 })
  await jarError()
  file = join(dirname(file), 'pipe.json')
  execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', file])
  expect((await jarError()).message).toContain('is not a file')
})

test('a newer format is refused and kept', async () => {
  const newer = JSON.stringify({ format: 2, secrets: 'of the future' })
  write(newer)
  expect(await jarError()).toMatchObject({
    message: expect.stringContaining('newer postern (format 2)'),
    hint: expect.stringContaining('Update'),
  })
  expect(readFileSync(file, 'utf8')).toBe(newer)
  expect(keptCopies()).toHaveLength(1)
})

test('a damaged file is refused, kept aside once, and never wiped', async () => {
  write('{"format":1,')
  for (let time = 0; time < 3; time++) expect((await jarError()).message).toContain('damaged')
  const [copy = ''] = keptCopies()
  expect(keptCopies()).toHaveLength(1)
  expect(statSync(join(dirname(file), copy)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(dirname(file), copy), 'utf8')).toBe('{"format":1,')
  expect(readFileSync(file, 'utf8')).toBe('{"format":1,')
})

test('it stays refused for a process that had it open', async () => {
  const jar = await open()
  write('')
  await expect(jar.store(url, ['c=3; Path=/'])).rejects.toThrow(LocalStateError)
  expect(readFileSync(file, 'utf8')).toBe('')
})

test('a jar of another origin or account is refused', async () => {
  write(readFileSync(file, 'utf8').replace(origin, 'https://evil.example'))
  expect((await jarError()).message).toContain('belongs to me@example.com at https://evil.example')
  write(readFileSync(file, 'utf8').replace('https://evil.example', origin).replace(me, 'you@example.com'))
  expect((await jarError()).message).toContain('belongs to you@example.com')
  write(readFileSync(file, 'utf8').replace('you@example.com', 'Me@Example.com'))
  expect(await (await open()).cookieHeader(url)).toBe('a=1; b=2')
})

const damaged = 10 * fuzzRuns

test(`${damaged} damaged jars are each read or refused, never a crash`, async () => {
  const whole = readFileSync(file, 'utf8')
  const cut = fc.nat(whole.length - 1).map((at) => whole.slice(0, at))
  const changed = fc
    .tuple(fc.nat(whole.length - 1), fc.string({ maxLength: 3 }))
    .map(([at, text]) => whole.slice(0, at) + text + whole.slice(at + text.length))
  const swapped = fc
    .tuple(
      fc.constantFrom(
        'key',
        'value',
        'domain',
        'path',
        'expires',
        'creation',
        'writtenAt',
        'hostOnly',
        'format',
        'cookies',
        'removed',
      ),
      fc.jsonValue(),
    )
    .map(([field, value]) =>
      whole.replace(new RegExp(`"${field}": [^,\\[]+`), `"${field}": ${JSON.stringify(value).replaceAll('$', '')}`),
    )
  const corpus = fc.oneof(cut, changed, swapped, fc.string({ unit: 'binary' }), fc.json())
  await fc.assert(
    fc.asyncProperty(corpus, async (text) => {
      write(text)
      const header = await open().then(
        (jar) => jar.cookieHeader(url),
        (error: unknown) => error,
      )
      const isSound = typeof header === 'string' ? /^[\x20-\x7e]*$/.test(header) : header instanceof LocalStateError
      expect(isSound).toBe(true)
      expect(readFileSync(file, 'utf8')).toBe(Buffer.from(text).toString())
    }),
    { numRuns: damaged },
  )
})

test('a cookie edited into a header splitter is refused', async () => {
  write(readFileSync(file, 'utf8').replace('"value": "1"', '"value": "1\\r\\nX-Evil: 1"'))
  expect((await jarError()).message).toContain('damaged')
})

const impersonation = { email: 'bob@example.com', token: 'theirs', expiresAt: '2026-01-09T03:04:05.000Z' }

test.each([
  ['a token of two lines', { token: 'a\r\nX-Evil: 1' }],
  ['a token without end', { token: 'x'.repeat(8_193) }],
  ['an impersonation by such a token', { impersonation: { ...impersonation, token: 'a\r\nX-Evil: 1' } }],
  ['an impersonation without end', { impersonation: { ...impersonation, expiresAt: 'never' } }],
  ['removals that are none', { removed: [1] }],
])('a jar with %s is refused', async (_, edit) => {
  write(JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), impersonation, ...edit }))
  expect((await jarError()).message).toContain('damaged')
})

test('a file that is too large to be a jar is not read', async () => {
  write(' '.repeat(8_388_609))
  expect((await jarError()).message).toContain('is too large to be a jar')
})

test('jars are listed by origin and account, refused ones with their reason', async () => {
  const other = jarPath(state, 'https://a.example', 'you@example.com')
  await (await openJar(other, 'https://a.example', 'you@example.com')).setToken('t')
  const bad = jarPath(state, origin, 'bad@example.com')
  writeFileSync(bad, 'x', { mode: 0o600 })
  expect(await listJars(state, Date.now())).toEqual([
    { file: other, origin: 'https://a.example', email: 'you@example.com', isSignedIn: true },
    { file, origin, email: me, isSignedIn: false },
    { file: bad, problem: expect.any(LocalStateError) },
  ])
  expect(await listJars(join(state, 'none'), Date.now())).toEqual([])
})

test('names alone tell who has no jar, and never that one who has one has none', async () => {
  const asked = [me, ' Me@Example.com', 'you@example.com', 'me@example'].map((one) => mightHaveJar(state, origin, one))
  expect(await Promise.all(asked)).toEqual([true, true, false, false])
  expect(await mightHaveJar(state, 'https://other.example.com', me)).toBe(false)
  expect(await mightHaveJar(join(state, 'none'), origin, me)).toBe(false)
})

test('a folder that cannot be listed is left to whoever opens the jar', async () => {
  writeFileSync(join(state, 'file'), '')
  expect(await mightHaveJar(join(state, 'file'), origin, me)).toBe(true)
})

test('a file name is readable, its own for every origin and account, and stays in its folder', () => {
  expect(jarPath('/state', 'http://localhost:4100', 'Zoe@Example.com')).toMatch(
    /^\/state\/jars\/localhost-4100_zoe-example-com_[0-9a-f]{12}\.json$/,
  )
  expect(jarPath('/s', origin, 'A@b.c')).toBe(jarPath('/s', origin, ' a@b.c'))
  const paths = ['a@b.c', 'a.b@c', 'a-b@c'].flatMap((account) => [
    jarPath('/s', origin, account),
    jarPath('/s', 'http://localhost', account),
  ])
  expect(new Set(paths).size).toBe(6)
  expect(jarPath('/s', origin, `${'a'.repeat(300)}@b.co`).length).toBeLessThan(130)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (account) => {
      expect(jarPath('/s', origin, account)).toMatch(/^\/s\/jars\/[a-z0-9_-]{1,120}\.json$/)
    }),
  )
  expect(jarPath('/s', origin, '../../etc/passwd')).toMatch(
    /^\/s\/jars\/id-example-com_-etc-passwd_[0-9a-f]{12}\.json$/,
  )
})
