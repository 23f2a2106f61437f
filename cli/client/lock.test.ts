import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { watchOver } from '../../server/testing/running.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { makeFixture, spawnFixture } from '../testing/spawn-fixture.ts'
import { LocalStateError } from './errors.ts'
import { describeSelf, type LockHolder, withLock } from './lock.ts'

let path: string
beforeEach(() => {
  path = join(temporaryFolder('lock'), 'jar.json')
})

const holdAs = async (holder: Partial<LockHolder>) =>
  writeFileSync(`${path}.lock`, JSON.stringify({ ...(await describeSelf()), id: 'other', ...holder }))

const deadPid = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'close')
  return child.pid ?? 0
}

test('the lock is a 0600 file that names process, host and start, and is gone afterwards', async () => {
  const text = await withLock(path, {}, async () => {
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600)
    return readFileSync(`${path}.lock`, 'utf8')
  })
  expect(JSON.parse(text)).toMatchObject({ pid: process.pid, host: hostname() })
  expect(JSON.parse(text).pidNamespace).toMatch(process.platform === 'linux' ? /^pid:\[\d+\]$/ : /^$/)
  expect(JSON.parse(text).started).toMatch(process.platform === 'linux' ? /^[0-9a-f-]{36} \d+$/ : /^$/)
  expect(readdirSync(join(path, '..'))).toEqual([])
})

test('it is released when the work throws', async () => {
  await expect(withLock(path, {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(path, { wait: 0 }, async () => 'again')).toBe('again')
})

test('it stays when it was removed by hand meanwhile, and is now the lock of another process', async () => {
  await withLock(path, {}, () => holdAs({}))
  expect(readFileSync(`${path}.lock`, 'utf8')).toContain('"id":"other"')
})

test('one at a time inside a process too', async () => {
  let inside = 0
  const most: number[] = []
  const work = async () => {
    most.push(++inside)
    await sleep(1)
    inside--
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, {}, work)))
  expect(Math.max(...most)).toBe(1)
})

test('waiting for a living holder ends with an error that names it', async () => {
  await holdAs({})
  const error = await withLock(path, { wait: 60 }, async () => 'never').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(LocalStateError)
  expect(error).toMatchObject({
    exitCode: 15,
    message: expect.stringContaining(`process ${process.pid} on ${hostname()}`),
    hint: 'Try again when that process has ended. If it is no longer running, remove the file',
  })
})

test.each([
  ['state', {}, 'POSTERN_STATE_DIR'],
  ['config', { kind: 'config' }, 'POSTERN_CONFIG_DIR'],
] as const)('where none can be made, the error names the %s folder', async (kind, options, variable) => {
  const none = join(path, 'jar.json')
  await expect(withLock(none, options, async () => 'never')).rejects.toMatchObject({
    message: expect.stringContaining(`Cannot create ${none}.lock`),
    hint: expect.stringMatching(new RegExp(`^The ${kind} folder must be writable .*${variable} chooses another`)),
  })
})

test('without any time to wait, a lock that is held is not waited for', async () => {
  await holdAs({})
  const release = setTimeout(() => rmSync(`${path}.lock`), 1_000)
  await expect(withLock(path, { wait: 0 }, async () => 'never')).rejects.toThrow(LocalStateError)
  clearTimeout(release)
})

test('a machine that stands still takes nothing from the time of the holder', async () => {
  await holdAs({})
  const waiting = withLock(path, { wait: 400 }, async () => 'mine')
  await sleep(50)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
  await sleep(30)
  rmSync(`${path}.lock`)
  expect(await waiting).toBe('mine')
})

test.each([
  ['a process on another machine', { host: 'elsewhere', pid: 1_999_999_999 }],
  ['a process of another container under the same host name', { pidNamespace: 'pid:[1]', pid: 1_999_999_999 }],
  ['a process whose start is unknown', { started: '' }],
])('a lock of %s is not broken', async (_, holder) => {
  await holdAs(holder)
  await expect(withLock(path, { wait: 30 }, async () => 'never')).rejects.toThrow(LocalStateError)
  expect(readFileSync(`${path}.lock`, 'utf8')).toContain('"id":"other"')
})

test.runIf(process.platform === 'linux')('the error says that a holder of another container is not seen', async () => {
  await holdAs({ pid: 7, pidNamespace: 'pid:[1]' })
  const waiting = withLock(path, { wait: 30 }, async () => 'never')
  await expect(waiting).rejects.toThrow(`is held by process 7 of another container on ${hostname()}`)
})

test('a lock of an older version, which names no namespace, is broken when its process is gone', async () => {
  const { pidNamespace: _, ...older } = await describeSelf()
  writeFileSync(`${path}.lock`, JSON.stringify({ ...older, pid: await deadPid() }))
  expect(await withLock(path, { wait: 60_000 }, async () => 'mine')).toBe('mine')
})

const lockOfNobody = (part: object) =>
  JSON.stringify({ id: 'other', pid: 1_999_999_999, host: hostname(), started: '', ...part })

test.each([
  ['no JSON', 'not a holder'],
  ['nothing', 'null'],
  ['no process', lockOfNobody({ pid: 0 })],
  ['a group of processes', lockOfNobody({ pid: -1_999_999_999 })],
  ['a fraction of a process', lockOfNobody({ pid: 1_999_999.5 })],
  ['a number as its host', lockOfNobody({ host: 1 })],
  ['a number as its start', lockOfNobody({ started: 1 })],
])('a lock file that names nobody, with %s, is waited for, then reported', async (_, text) => {
  writeFileSync(`${path}.lock`, text)
  await expect(withLock(path, { wait: 30 }, async () => 'never')).rejects.toMatchObject({
    message: expect.stringContaining('is held by an unknown process'),
    hint: 'Remove the file',
  })
})

test('a lock of a process that is gone is broken', async () => {
  await holdAs({ pid: await deadPid() })
  expect(await withLock(path, { wait: 60_000 }, async () => 'mine')).toBe('mine')
})

test('so is one that was left while breaking another', async () => {
  await holdAs({ pid: await deadPid() })
  writeFileSync(`${path}.lock.lock`, readFileSync(`${path}.lock`))
  expect(await withLock(path, { wait: 60_000 }, async () => 'mine')).toBe('mine')
  expect(readdirSync(join(path, '..'))).toEqual([])
})

test.runIf(process.platform === 'linux')('the name of a process may hold spaces and parentheses', async () => {
  const [{ title }, { started }] = [process, await describeSelf()]
  process.title = 'a) Z (b'
  const named = await describeSelf()
  process.title = title
  expect(named.started).toBe(started)
})

test.runIf(process.platform === 'linux')('a process number used again does not keep a lock alive', async () => {
  await holdAs({ started: (await describeSelf()).started.replace(/\d+$/, '1') })
  expect(await withLock(path, { wait: 60_000 }, async () => 'mine')).toBe('mine')
})

test.runIf(process.platform === 'linux')('nor does a killed process that nobody has waited for', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 600'])
  watchOver(parent)
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(String(line))
  while (!/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await sleep(5)
  await holdAs({ pid })
  expect(await withLock(path, { wait: 60_000 }, async () => 'mine')).toBe('mine')
  parent.kill('SIGKILL')
  await once(parent, 'exit')
})

test('eight processes that find a dead lock break it once, and never hold it together', async () => {
  const log = `${path}.log`
  const racer = await makeFixture('lock-racer.fixture.ts')
  const racers = Array.from({ length: 8 }, () => spawnFixture(racer, [path, log]))
  await Promise.all(racers.map((racer) => racer.hear('ready')))
  const pid = await deadPid()
  for (let round = 0; round < 15; round++) {
    writeFileSync(log, '')
    await holdAs({ pid })
    for (const racer of racers) racer.say('go')
    await Promise.all(racers.map((racer) => racer.hear('done')))
    const notes = readFileSync(log, 'utf8').trim().split('\n')
    expect(notes.filter((note) => note.startsWith('broke'))).toHaveLength(1)
    const turns = notes.filter((note) => !note.startsWith('broke'))
    expect(turns).toHaveLength(16)
    for (let at = 0; at < 16; at += 2) expect(turns[at + 1]).toBe(turns[at]?.replace('in', 'out'))
  }
  await Promise.all(racers.map((racer) => racer.kill()))
})
