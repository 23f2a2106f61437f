import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { developmentSecret } from './development-secret.ts'

const root = process.getuid?.() === 0
const own = root ? '711' : '700'
const whole = /^[\w-]{64}$/

let folder: string
beforeEach(() => {
  folder = temporaryFolder('secret')
})

/** The secret, or why there is none. */
function outcome(dataDir: string): string {
  try {
    return developmentSecret(dataDir)
  } catch (error) {
    return (error as Error).message
  }
}

const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o7777).toString(8)

function made(path: string, mode = 0o700): string {
  mkdirSync(join(folder, path))
  chmodSync(join(folder, path), mode)
  return join(folder, path)
}

it('is made once, in a folder that only we can change, below parents that all can enter', () => {
  const before = process.umask(0o022)
  const secret = developmentSecret(join(folder, 'parent', 'data'))
  process.umask(before)
  expect(secret).toMatch(whole)
  expect(developmentSecret(join(folder, 'parent', 'data'))).toBe(secret)
  expect([modeOf('parent'), modeOf('parent/data'), modeOf('parent/data/secret')]).toEqual(['755', own, '600'])
  expect(readdirSync(join(folder, 'parent', 'data'))).toEqual(['secret'])
})

it('leaves a folder that is there as it is', () => {
  const home = made('home', 0o750)
  writeFileSync(join(home, 'thesis.txt'), 'mine')
  expect(developmentSecret(home)).toMatch(whole)
  expect([modeOf('home'), statSync(home).uid]).toEqual(['750', process.getuid?.()])
})

it('says what to do where no folder can be made', () => {
  const file = join(folder, 'taken')
  writeFileSync(file, '')
  expect(() => developmentSecret(file)).toThrow(/taken, cannot be used: .*Set DATA_DIR to a folder that can be written/)
})

it.each(['', 'short', `${'x'.repeat(63)}`, `${'x'.repeat(64)}\n`])('is not what is left of it: %j', (rest) => {
  writeFileSync(join(folder, 'secret'), rest, { mode: 0o600 })
  expect(() => developmentSecret(folder)).toThrow(
    `${join(folder, 'secret')} is damaged: set SECRET, or delete the file`,
  )
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe(rest)
})

describe('what others may have put there', () => {
  const theirs = 'x'.repeat(64)
  const victim = () => join(folder, 'victim')
  const planted: readonly (readonly [string, (file: string) => void])[] = [
    ['a link to a file', (file) => symlinkSync(victim(), file)],
    ['a link to nothing', (file) => symlinkSync(join(folder, 'nothing'), file)],
    ['a hard link to what all can read', (file) => linkSync(victim(), file)],
    ['a file that all can read', (file) => writeFileSync(file, theirs, { mode: 0o644 })],
    ['a pipe that nobody writes into', (file) => execFileSync('/bin/sh', ['-c', 'mkfifo -m 600 "$0"', file])],
    ['a folder', (file) => mkdirSync(file, { mode: 0o700 })],
  ]

  it.each(planted)('is not taken for the secret: %s', (_, plant) => {
    const data = made('data')
    writeFileSync(victim(), theirs)
    chmodSync(victim(), 0o644)
    plant(join(data, 'secret'))
    expect(() => developmentSecret(data)).toThrow(/data\/secret is not a file that only its owner can read: set SECRET/)
    expect([readFileSync(victim(), 'utf8'), modeOf('victim'), readdirSync(data)]).toEqual([theirs, '644', ['secret']])
    expect(readdirSync(folder)).toEqual(['data', 'victim'])
  })

  it('is not written through: a link that waits under the name of a draft', () => {
    const data = made('data')
    writeFileSync(victim(), theirs)
    symlinkSync(victim(), join(data, `secret.${process.pid}`))
    expect(developmentSecret(data)).toMatch(whole)
    expect(readFileSync(victim(), 'utf8')).toBe(theirs)
    expect(lstatSync(join(data, `secret.${process.pid}`)).isSymbolicLink()).toBe(true)
  })

  // Only root can give a file away.
  it('is not taken for the secret: a file of another user', () => {
    const data = made('data')
    writeFileSync(join(data, 'secret'), theirs, { mode: 0o600 })
    if (root) chownSync(join(data, 'secret'), 65534, 65534)
    expect(outcome(data)).toMatch(root ? 'is not a file that only its owner can read' : theirs)
  })
})

describe('a folder in which others could swap it', () => {
  const look = (data: string) => [statSync(data).uid, statSync(data).mode, readdirSync(data)]

  it('is refused when everybody can write to it', () => {
    const data = made('data', 0o777)
    const before = look(data)
    expect(() => developmentSecret(data)).toThrow(/everybody can write to it\. .*Or close it: chmod go-w '.*data'/)
    expect(look(data)).toEqual(before)
  })

  it('is refused when it is shared, and one in it does', () => {
    const shared = made('shared', 0o1777)
    const before = look(shared)
    expect(() => developmentSecret(shared)).toThrow(
      /everybody can write to it\. Set DATA_DIR to .* A folder inside it will do\./,
    )
    expect(look(shared)).toEqual(before)
    expect(developmentSecret(join(shared, 'ours', 'data'))).toMatch(whole)
  })

  it('is refused when everybody may swap a folder above it, made already or not', () => {
    made('open', 0o777)
    const data = made('open/data')
    expect(() => developmentSecret(data)).toThrow(
      /open\/data, cannot be used: .*open is its parent folder, and everybody can write/,
    )
    expect(readdirSync(data)).toEqual([])
    expect(() => developmentSecret(join(folder, 'open', 'new', 'data'))).toThrow(
      /open is its parent folder, and everybody can write/,
    )
    expect(readdirSync(join(folder, 'open'))).toEqual(['data'])
  })

  it('is looked at where a link leads', () => {
    const real = made('real')
    symlinkSync(real, join(folder, 'link'))
    symlinkSync(made('wide', 0o777), join(folder, 'astray'))
    expect(developmentSecret(join(folder, 'link', 'data'))).toBe(developmentSecret(join(real, 'data')))
    expect(() => developmentSecret(join(folder, 'astray'))).toThrow(/wide, cannot be used: everybody can write to it/)
    expect(() => developmentSecret(join(folder, 'astray', 'data'))).toThrow(/wide is its parent folder/)
    symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'))
    expect(() => developmentSecret(join(folder, 'dangling'))).toThrow(/dangling, cannot be used: (?:ENOENT|EEXIST)/)
    expect(readdirSync(join(folder, 'wide'))).toEqual([])
  })

  // What belongs to others only root can make; to everybody else root's own folder is closed.
  it('is refused when it, or a folder above it, belongs to somebody else', () => {
    const theirs = made('theirs', 0o755)
    const below = made('theirs/data')
    if (root) chownSync(theirs, 1234, 1234)
    const [foreign, inside] = root ? [theirs, below] : ['/', '/postern-data']
    const owned = 'it belongs to another user \\(uid 1234\\)'
    const reasons = root
      ? [
          `${owned}\\. .*Or run Postern as that user\\. .*chown 0:0 '.*theirs'`,
          `theirs is its parent folder, and ${owned}`,
        ]
      : ['(?:EACCES|EROFS)', '(?:EACCES|EROFS)']
    expect(() => developmentSecret(foreign)).toThrow(new RegExp(`cannot be used: .*${reasons[0]}`))
    expect(() => developmentSecret(inside)).toThrow(new RegExp(`cannot be used: .*${reasons[1]}`))
    expect([readdirSync(theirs), readdirSync(below)]).toEqual([['data'], []])
    expect(statSync(theirs).uid).toBe(root ? 1234 : process.getuid?.())
  })

  it('is not reached through a link that somebody else put into a shared folder', () => {
    const shared = made('shared', 0o1777)
    symlinkSync(made('real'), join(shared, 'data'))
    if (root) lchownSync(join(shared, 'data'), 1234, 1234)
    // A link of our own is as good as the folder that it leads to.
    expect(outcome(join(shared, 'data'))).toMatch(
      root ? /shared\/data, cannot be used: it is a link, and it belongs to another user/ : whole,
    )
    expect(readdirSync(join(folder, 'real'))).toEqual(root ? [] : ['secret'])
  })

  it('may be shared with a group where that is not root’s', () => {
    const data = made('data', 0o770)
    if (root) chownSync(data, 0, 1234)
    expect(outcome(data)).toMatch(root ? /its group \(gid 1234\) can write to it/ : whole)
    expect(readdirSync(data)).toEqual(root ? [] : ['secret'])
  })
})
