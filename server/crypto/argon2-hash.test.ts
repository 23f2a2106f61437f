import { hash, hashRaw, verify } from '@node-rs/argon2'
import argon2 from 'argon2'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseArgon2Hash } from './argon2-hash.ts'
import { createPasswords } from './password.ts'

const passwords = createPasswords({ memory: 19_456, passes: 2, lanes: 1 })
const horse = 'correct horse battery staple'

// Created on Node 24 by `hash` of argon2 0.45.1 and 1.0.0-alpha.1 with the options in each name. `.ci/run` adds hashes
// of the newest version.
const newest: readonly [name: string, stored: string, password?: string][] = [
  [
    '0.45.1, defaults',
    '$argon2id$v=19$m=65536,p=4,t=3$FGnHS/ply6Dt7PudL39euw$+75cyD9WsxpYrSPBz9kvXCwfoSdKgLJaAivmEQ/NxTQ',
  ],
  [
    '0.45.1, our cost',
    '$argon2id$v=19$m=19456,p=1,t=2$d3UQel56vFXf+xg5cmlaGA$/7BxIsur3tSsCvwv2BhY55nUnFLwobR5E4DwToUd+qY',
  ],
  [
    '0.45.1, letters beyond ASCII',
    '$argon2id$v=19$m=19456,p=1,t=2$TnjwAd+yIpJbyWQUY++/1g$kSuAHEJFN92XoXOAw8GqrDHUBgN4sjAybm+lFShsuns',
    'caf\u00e9 au lait',
  ],
  [
    '0.45.1, associatedData',
    '$argon2id$v=19$m=19456,p=1,t=2,data=cGVvcGxl$vw7XS+ngs87L8BejOEDWrw$1npZQEV3vzpHVt6tM3+8v3eb88dNAFARPs0rpUrJSc0',
  ],
  [
    '0.45.1, argon2i',
    '$argon2i$v=19$m=19456,p=1,t=3$v3YM5DyXeR5uoM9I+VhPEA$f8ShMP+xK5h2aAU05mx4nhVNFDKPCCwgIXoEARPv58c',
  ],
  [
    '0.45.1, argon2d',
    '$argon2d$v=19$m=19456,p=1,t=2$KI9NjeDCeAPf0m2zw98J+w$goXfHE0Uc8F5jQ+n9u/+oed+PzFWkXLWwhSCFEgC6gU',
  ],
  [
    '0.45.1, version 0x10',
    '$argon2id$v=16$m=19456,p=1,t=2$wNOdRh7vrCz6zy2ND3iyHQ$FwRmLI1zX3t7Gc5w2pTQuGhpBFvaSr6QVLSpKMHmDJU',
  ],
  [
    '0.45.1, 32 bytes of salt and 64 of hash',
    '$argon2id$v=19$m=19456,p=1,t=2$BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc$RVZ9jZXFDN2v4N1qw9r5XX41vFgXZaYqrcmkkHTxhJtcWHE+c9um4BYnpWyU4ZdWpkEcipnZ5OPWmOWRVDFZdw',
  ],
  [
    '1.0.0-alpha.1, defaults',
    '$argon2id$v=19$m=65536,p=4,t=3$98oCAj4WhZLk80dsLlficw$uFnRCqsfCM0GFlnwz5T+3rhi+7LV0e3E22KdA97mf8I',
  ],
  [
    '1.0.0-alpha.1, our cost',
    '$argon2id$v=19$m=19456,p=1,t=2$lAnOgsasXsqAUEVvhDWFPg$VSede9mNwHKeaFiZODKONwph2sYjiVADfgY63T1owWY',
  ],
]

it.each(newest)('a hash of the newest argon2 fits its password alone: %s', async (_name, stored, password = horse) => {
  expect(await passwords.verify(stored, password)).toBe(true)
  expect(await passwords.verify(stored, `${password}.`)).toBe(false)
})

const ours = newest[1]![1]
const [, , , parameters = '', salt = '', tag = ''] = ours.split('$')

it.each(['m=19456,t=2,p=1', 't=2,p=1,m=19456', 'p=1,m=19456,t=2', 'p=1,t=2,m=19456'])(
  'the order of the parameters says nothing: %s',
  async (order) => {
    const stored = ours.replace(parameters, order)
    expect(await passwords.verify(stored, horse)).toBe(true)
    expect(passwords.isOutdated(stored)).toBe(false)
    expect(createPasswords({ memory: 19_456, passes: 3, lanes: 1 }).isOutdated(stored)).toBe(true)
  },
)

it('a hash without a version is one of the first version', async () => {
  const [, first] = newest.find(([name]) => name.includes('0x10'))!
  const stored = first.replace('$v=16', '')
  expect(await passwords.verify(stored, horse)).toBe(true)
  expect(await passwords.verify(ours.replace('$v=19', ''), horse)).toBe(false)
})

it.each(newest.filter(([name]) => !name.includes('our cost') && !name.includes('letters')))(
  'a hash made in another way than ours is replaced at the next sign-in: %s',
  (_name, stored) => expect(passwords.isOutdated(stored)).toBe(true),
)

const withParameters = (other: string) => ours.replace(parameters, other)
it.each([
  ['is damaged', ours.slice(0, -1), 'unreadable'],
  ['has base64 that spells no bytes', ours.replace(/.$/, 'Z'), 'unreadable'],
  ['has padding', `${ours}=`, 'unreadable'],
  ['has no hash', `$argon2id$v=19$${parameters}$${salt}`, 'unreadable'],
  ['has a hash that much would fit', `$argon2id$v=19$${parameters}$${salt}$MDEyMzQ1Njc4OTA`, 'unreadable'],
  ['has a hash beyond the format', `$argon2id$v=19$${parameters}$${salt}$${'A'.repeat(87)}`, 'unreadable'],
  ['has too little salt', `$argon2id$v=19$${parameters}$MDEyMzQ1Ng$${tag}`, 'unreadable'],
  ['lacks a parameter', withParameters('m=19456,t=2'), 'unreadable'],
  ['has a parameter twice', withParameters('m=19456,t=2,p=1,m=8'), 'unreadable'],
  ['has a parameter that nobody knows', withParameters('m=19456,t=2,p=1,x=1'), 'unreadable'],
  ['has a name of every object', withParameters('m=19456,t=2,p=1,__proto__=1'), 'unreadable'],
  ['has more data than the format allows', withParameters(`m=19456,t=2,p=1,data=${'A'.repeat(44)}`), 'unreadable'],
  ['has empty data', withParameters('m=19456,t=2,p=1,data='), 'unreadable'],
  ['was made with a secret key', withParameters('m=19456,t=2,p=1,keyid=cGVvcGxl'), 'unreadable'],
  ['has zeros in front', withParameters('m=019456,t=2,p=1'), 'unreadable'],
  ['asks for no pass', withParameters('m=19456,t=0,p=1'), 'unreadable'],
  ['asks for less memory than its lanes need', withParameters('m=15,t=2,p=2'), 'unreadable'],
  ['is of a version to come', ours.replace('v=19', 'v=20'), 'unreadable'],
  ['asks for too much memory', withParameters('t=2,p=1,m=131073'), 'costly'],
  ['asks for too many passes', withParameters('p=1,t=11,m=19456'), 'costly'],
  ['asks for too many lanes', withParameters('p=5,t=2,m=19456'), 'costly'],
  ['asks for all the memory that the format can say', withParameters('m=4294967295,t=2,p=1'), 'costly'],
])(
  'a stored hash that %s costs one hash, is never matched, and is told with its user',
  async (_name, stored, problem) => {
    const told: unknown[] = []
    const watched = createPasswords(
      { memory: 1024, passes: 1, lanes: 1 },
      { onUnusable: (...report) => void told.push(report) },
    )
    expect(await watched.verify(stored, horse, { userId: 'user-1' })).toBe(false)
    expect([watched.computed, told]).toEqual([1, [[problem, 'user-1']]])
  },
)

it.each([
  ['least', 'm=8,t=1,p=1,data=YQ', 11, 16],
  ['most', `m=131072,t=10,p=4,data=${'A'.repeat(43)}`, 64, 86],
])('a hash of the %s that is allowed is read', (_which, list, saltLength, hashLength) => {
  const stored = `$argon2id$v=19$${list}$${'A'.repeat(saltLength)}$${'A'.repeat(hashLength)}`
  expect(parseArgon2Hash(stored)).toMatchObject({ type: 'argon2id' })
})

it('hashes come out as those of the reference implementation in C, whatever is asked', async () => {
  const cost = fc.record({
    memoryCost: fc.integer({ min: 64, max: 2048 }),
    timeCost: fc.integer({ min: 2, max: 4 }),
    parallelism: fc.integer({ min: 1, max: 4 }),
    salt: fc.uint8Array({ minLength: 8, maxLength: 48 }).map((bytes) => Buffer.from(bytes)),
  })
  await fc.assert(
    fc.asyncProperty(
      cost,
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 12, max: 64 }),
      async (options, text, size) => {
        const other = await argon2.hash(text, { ...options, hashLength: size, raw: true })
        expect(await hashRaw(text, { ...options, outputLen: size })).toEqual(other)
        expect(await argon2.verify(await hash(text, { ...options, outputLen: size }), text)).toBe(true)
      },
    ),
    { numRuns: 40 },
  )
})

it.each(
  [argon2.argon2d, argon2.argon2i, argon2.argon2id].flatMap((type) => [
    { type, version: 0x10 },
    { type, version: 0x13 },
  ]),
)('hashes of each kind and version that it made fit: %o', async (kind) => {
  const stored = await argon2.hash(horse, { ...kind, memoryCost: 1024, associatedData: Buffer.from('people') })
  expect(await verify(stored, horse)).toBe(true)
  expect(await verify(stored, `${horse}.`)).toBe(false)
})
