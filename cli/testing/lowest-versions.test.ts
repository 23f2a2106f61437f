import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

/**
 * What reads the network, keeps secrets or proves who somebody is, and below which version it must not fall: the one that
 * mended the last known fault, or the newest of November 2026. An advisory raises the number; `npm audit` tells of new ones.
 */
const lowest = {
  hono: '4.13.19',
  '@hono/node-server': '2.1.8',
  // Below: an address that reads differently to the one that checks it and the one that delivers (CVE-2026-92598).
  nodemailer: '9.1.0',
  jose: '6.2.17',
  '@node-rs/argon2': '2.2.1',
  bcrypt: '6.0.0',
  undici: '7.30.2',
  'tough-cookie': '6.1.0',
}

interface Locked {
  readonly version: string
}

const lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Locked>
}

/** Every copy that is installed or built in; the reference clients, which only tests use, bring their own. */
const copiesOf = (name: string): readonly string[] =>
  Object.entries(lock.packages).flatMap(([path, { version }]) =>
    path.endsWith(`node_modules/${name}`) && !path.startsWith('node_modules/better-auth') ? [version] : [],
  )

/** A version before its release (`5.0.0-rc.1`) counts as older than that. */
function isBelow(version: string, limit: string): boolean {
  const [numbers, limits] = [numbersOf(version), numbersOf(limit)]
  const at = limits.findIndex((number, index) => number !== numbers[index])
  return at < 0 ? version.includes('-') : numbers[at]! < limits[at]!
}

const numbersOf = (version: string) => version.replace(/-.*/, '').split('.').map(Number)

it.each(Object.entries(lowest))('%s is locked at %s or newer, in every copy', (name, limit) => {
  const copies = copiesOf(name)
  expect(copies).not.toEqual([])
  expect(copies.filter((version) => isBelow(version, limit))).toEqual([])
})

it.each([
  ['4.9.99', '4.13.0', true],
  ['4.13.0', '4.13.0', false],
  ['4.13.0-rc.1', '4.13.0', true],
  ['4.13.1-rc.1', '4.13.0', false],
  ['5.0.0', '4.13.0', false],
  ['10.6.0', '9.1.0', false],
  ['0.44.0', '1.0.0', true],
])('%s below %s: %s', (version, limit, expected) => {
  expect(isBelow(version, limit)).toBe(expected)
})
