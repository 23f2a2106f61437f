import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { socketFolder } from './address.ts'
import { prepareCluster } from './cluster-setup.ts'
import { defaultDataDir } from './data-dir.ts'
import { makeDraft, removeDraft } from './draft.ts'
import { findOwner } from './secure-folder.ts'
import { cleanUp, connect, newFolder, newOpenFolder, start } from './testing/processes.ts'

afterEach(cleanUp)

const root = process.getuid?.() === 0

describe('the default data folder', () => {
  const person = { platform: 'linux', home: '/home/ann', root: false } as const
  it.each([
    [{}, person, '/home/ann/.local/share/postern'],
    [{ XDG_DATA_HOME: '/data' }, person, '/data/postern'],
    [{ XDG_DATA_HOME: 'relative' }, person, '/home/ann/.local/share/postern'],
    [{ XDG_DATA_HOME: '' }, person, '/home/ann/.local/share/postern'],
    [{ XDG_DATA_HOME: '/data' }, { ...person, root: true }, '/var/lib/postern'],
    [{}, { ...person, platform: 'darwin' as const }, '/home/ann/Library/Application Support/postern'],
  ])('%j of %j is %s', (env, who, expected) => {
    expect(defaultDataDir(env, who)).toBe(expected)
  })

  it('is not in the working directory where HOME is empty', () => {
    onTestFinished(() => void vi.unstubAllEnvs().restoreAllMocks())
    vi.stubEnv('HOME', '')
    vi.spyOn(process, 'getuid').mockReturnValue(1000)
    expect(defaultDataDir({})).toBe('/.local/share/postern')
  })
})

it('the socket lives in the data folder, or in a short one when its path would not do', async () => {
  const folder = newOpenFolder()
  expect(socketFolder(folder)).toBe(join(folder, 'run'))
  expect(socketFolder(join(folder, 'x'.repeat(90)))).not.toBe(socketFolder(join(folder, 'y'.repeat(90))))
  expect(socketFolder('/srv/data, ours')).toMatch(/^\/tmp\/postern-/)
  const embedded = await start(join(folder, 'a folder, named', 'x'.repeat(90)))
  try {
    expect(embedded.connection.host).toMatch(/^\/tmp\/postern-[0-9a-f]{16}$/)
    expect(await connect(embedded)`select 1 as one`).toEqual([{ one: 1 }])
    await embedded.stop()
  } finally {
    rmSync(embedded.connection.host, { recursive: true })
  }
})

it('a folder that cannot be made is an error that names it and what to set', async () => {
  await expect(start('/dev/null/postern')).rejects.toThrow(
    /\/dev\/null\/postern, cannot be used: (?:ENOTDIR|EEXIST).*DATA_DIR.*DATABASE_URL/,
  )
})

it.runIf(root)('root is told which folder the user of the server cannot enter, and it stays as it is', async () => {
  const home = join(newFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  await expect(start(join(home, 'postern'))).rejects.toThrow(/cannot enter .*DATA_DIR/)
  expect(existsSync(join(home, 'postern', 'postgres'))).toBe(false)
})

it.runIf(root)('as root the user postgres runs the server, else nobody, else who owns the database', () => {
  const folder = newFolder()
  const passwd = join(folder, 'passwd')
  writeFileSync(passwd, 'root:x:0:0::/:/bin/sh\n')
  expect(findOwner(join(folder, 'none'), passwd)).toEqual({ uid: 65534, gid: 65534 })
  appendFileSync(passwd, 'postgres:x:70:71::/:/bin/sh\n')
  expect(findOwner(join(folder, 'none'), passwd)).toEqual({ uid: 70, gid: 71 })
  chownSync(folder, 1234, 1235)
  expect(findOwner(folder, passwd)).toEqual({ uid: 1234, gid: 1235 })
})

describe('the data folder', () => {
  const owners = (folder: string, names: readonly string[]) => names.map((name) => statSync(join(folder, name)).uid)
  const look = (folder: string) => [statSync(folder).uid, statSync(folder).mode & 0o7777, readdirSync(folder)]

  it('stays our own; only what PostgreSQL itself writes belongs to the user that runs it', async () => {
    const [us, server] = [process.getuid!(), findOwner('/nonexistent')?.uid ?? process.getuid!()]
    const dataDir = join(newOpenFolder(), 'data')
    await start(dataDir)
    expect([statSync(dataDir).uid, statSync(dataDir).mode & 0o777]).toEqual([us, root ? 0o711 : 0o700])
    expect(owners(dataDir, ['postgres', 'run', 'postgres.log'])).toEqual([server, server, us])
  })

  it('is not given away, opened or changed when it is a home with something in it', async () => {
    const home = join(newOpenFolder(), 'data')
    mkdirSync(home, { mode: 0o700 })
    writeFileSync(join(home, 'thesis.txt'), 'mine')
    const before = look(home)
    const outcome = await start(home).then(
      () => 'started',
      (error: Error) => error.message,
    )
    // When PostgreSQL runs as our own user, nothing needs to be changed for it.
    expect(outcome).toMatch(root ? /cannot enter .*data\. Run: chmod a\+x '.*data'\. Or set DATA_DIR/ : 'started')
    expect(look(home).slice(0, 2)).toEqual(before.slice(0, 2))
    expect([readFileSync(join(home, 'thesis.txt'), 'utf8'), existsSync(join(home, 'postgres'))]).toEqual([
      'mine',
      !root,
    ])
  })

  it('is never one of somebody else, nor one that others can swap', async () => {
    const theirs = newOpenFolder()
    if (root) chownSync(theirs, 1234, 1234)
    else chmodSync(theirs, 0o777)
    const before = look(theirs)
    await expect(start(theirs)).rejects.toThrow(root ? /belongs to another user \(uid 1234\)/ : /everybody can write/)
    await expect(start(join(theirs, 'data'))).rejects.toThrow(/is its parent folder, and /)
    expect(look(theirs)).toEqual(before)
  })

  it('has its socket in no folder that somebody else put where it is looked for', async () => {
    const dataDir = join(newOpenFolder(), 'a folder, named')
    const socket = socketFolder(dataDir)
    // A hard link cannot lead to another disk.
    const victim = join(mkdtempSync(join(dirname(socket), 'postern-')), 'victim')
    onTestFinished(() => rmSync(dirname(victim), { recursive: true }))
    writeFileSync(victim, 'ours', { mode: 0o600 })
    const before = look(dirname(victim))
    for (const plant of [linkSync, symlinkSync]) {
      plant(victim, socket)
      try {
        await expect(start(dataDir)).rejects.toThrow(/socket folder .* is not a folder that only uid \d+ can enter/)
      } finally {
        rmSync(socket)
      }
    }
    expect([statSync(victim).uid, statSync(victim).mode & 0o777]).toEqual([process.getuid?.(), 0o600])
    expect(look(dirname(victim))).toEqual(before)
  })
})

it('what an unfinished start left is removed with the rights of its owner', async () => {
  const setup = await prepareCluster(newOpenFolder(), null)
  const draft = await makeDraft(setup)
  const inside = join(draft, 'postgres', 'base')
  mkdirSync(inside, { recursive: true })
  const [uid, gid] = [setup.owner?.uid ?? process.getuid!(), setup.owner?.gid ?? process.getgid!()]
  for (const folder of [join(draft, 'postgres'), inside]) chownSync(folder, uid, gid)
  writeFileSync(join(inside, 'file'), '')
  await removeDraft(setup, draft)
  expect(existsSync(draft)).toBe(false)
  // As root, the removal runs as the database's owner, who cannot remove root's own folders. Otherwise all of it is
  // ours.
  const next = await makeDraft(setup)
  mkdirSync(join(next, 'postgres', 'kept'), { recursive: true, mode: 0o700 })
  writeFileSync(join(next, 'postgres', 'kept', 'file'), '')
  await removeDraft(setup, next).catch(() => undefined)
  expect(existsSync(join(next, 'postgres', 'kept', 'file'))).toBe(root)
})
