import { appendFileSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { socketFolder } from './address.ts'
import { defaultDataDir } from './data-dir.ts'
import { findOwner } from './owner.ts'
import { cleanUp, connect, newFolder, newOpenFolder, start } from './testing/processes.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })
afterEach(cleanUp)

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

it.runIf(process.getuid?.() === 0)(
  'root is told which folder the user of the server cannot enter, and it stays as it is',
  async () => {
    const home = join(newFolder(), 'home')
    mkdirSync(home, { mode: 0o700 })
    await expect(start(join(home, 'postern'))).rejects.toThrow(/may not enter .*DATA_DIR/)
    expect(existsSync(join(home, 'postern', 'postgres'))).toBe(false)
  },
)

it.runIf(process.getuid?.() === 0)(
  'as root the user postgres runs the server, else nobody, else who owns the database',
  () => {
    const folder = newFolder()
    const passwd = join(folder, 'passwd')
    writeFileSync(passwd, 'root:x:0:0::/:/bin/sh\n')
    expect(findOwner(join(folder, 'none'), passwd)).toEqual({ uid: 65534, gid: 65534 })
    appendFileSync(passwd, 'postgres:x:70:71::/:/bin/sh\n')
    expect(findOwner(join(folder, 'none'), passwd)).toEqual({ uid: 70, gid: 71 })
    chownSync(folder, 1234, 1235)
    expect(findOwner(folder, passwd)).toEqual({ uid: 1234, gid: 1235 })
  },
)
