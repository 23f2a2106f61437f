import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const files = ['server', 'cli', 'shared'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|\/testing\/|^server\/bench\//.test(name)),
)
const holding = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(`${root}${name}`, 'utf8'))).sort()

it('compares secrets in a time that does not depend on them', () => {
  expect(holding(/\btimingSafeEqual\(/)).toEqual([
    'cli/browser/loopback.ts',
    'server/crypto/stored-hash/bytes.ts',
    'server/http/client.ts',
    'server/providers/id-token.ts',
  ])
})

/** Why nobody learns a secret from the time that it takes. */
const comparedAsTheyAre: Readonly<Record<string, string>> = {
  'server/backup/frames.ts': 'A checksum of a backup without a key, to which whoever reads the file has everything.',
  'server/db/checked-row.ts': 'The key of a row that was asked for, and of the one that came.',
  'server/db/supported-user.ts': 'Digests of limits, both from the database.',
  'server/domain/moving/converters/auth0.ts': 'A stored salt, and the same one written anew.',
  'server/domain/session/resolve.ts': 'The name of a key, which says nothing about it.',
}

it('compares other bytes only where nobody waits for a secret', () => {
  expect(holding(/\.equals\(|\bBuffer\.compare\(/)).toEqual(Object.keys(comparedAsTheyAre))
})
