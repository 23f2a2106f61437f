import { createHash, pbkdf2Sync, scryptSync } from 'node:crypto'
import { hash as makeHash } from '@node-rs/argon2'
import bcrypt from 'bcrypt'
import { describe, expect, it } from 'vitest'
import { createPasswords } from '../password.ts'
import { unpaddedBase64 } from './bytes.ts'
import { firebaseText, storableHash, withSignerKey } from './foreign-hash.ts'
import { readStoredHash } from './stored-hash.ts'

const passwords = createPasswords({ memory: 19_456, passes: 2, lanes: 1 })
const hash = (text: string) => passwords.hash(text)
const horse = 'correct horse battery staple'

/** The example of Firebase's own implementation. */
const project = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
}
const firebaseHash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=='
const firebase = firebaseText(firebaseHash, '42xEC+ixf3L2lw==', project)
const superTokens = `$f_scrypt$${firebaseHash}$42xEC+ixf3L2lw==$m=14$r=8$s=Bw==`

const pbkdf2 =
  '$pbkdf2-sha512$i=1000$MDEyMzQ1Njc4OWFiY2RlZg$5bTW2oeyDJyGJPcmEr+mRDE11ghpozWrDGnSNhRXo2ZCu0KHRDiUMAVEGzLJC+oDhRoeIja9J1iLIv9ptDJMfQ'
const scrypt = '$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$7AnzIswxwEinpwz+ntydndYfVHPvOACmX9Vvo8hO1qM'
const argon2 = '$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE'
const django = 'pbkdf2_sha256$1000$seasalt$3xmXbyk2QpiyNcnoBbzRPwEBsYPTbDlRdtmLyBvQltA='

/** Each of another program: Python's hashlib, PHP, the examples of the formats. */
const strong: readonly [name: string, given: string, password?: string][] = [
  ['bcrypt $2a$', '$2a$06$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['bcrypt $2b$', '$2b$06$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['bcrypt $2y$', '$2y$06$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['bcrypt as Django', 'bcrypt$$2b$06$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['PBKDF2 as Django', django],
  ['PBKDF2 with SHA-1 as Django', 'pbkdf2_sha1$1000$seasalt$9iRYj0as1r5j+cCBxB+HMlxkyr4='],
  ['PBKDF2 with SHA-1 in hex', 'pbkdf2_sha1$1000$seasalt$f624588f46acd6be63f9c081c41f87325c64cabe'],
  [
    'PBKDF2 with SHA-256 in hex',
    'pbkdf2_sha256$1000$seasalt$DF19976F29364298B235C9E805BCD13F0101B183D36C395176D98BC81BD096D0',
  ],
  [
    'PBKDF2 with SHA-512 in hex',
    'pbkdf2_sha512$1000$seasalt$8d65cf0724e9f5ff0b8988a1b10d0a0acc6f4f813e5702b3a3690f113fe43bac4dfbdf278d9c2c19355cb84e6927bf829c48445b261c01fe0e2bb81dea054118',
  ],
  ['PBKDF2', pbkdf2],
  [
    'PBKDF2 with a longer key',
    '$pbkdf2-sha256$i=1000$MDEyMzQ1Njc4OWFiY2RlZg==$yqSq2SygY1sB4EcH9f2FG0JTMES+wqLsOT5YmiRBplLYbawB4lwjdPCI3Ns1d3pRT9/+PGa1sFXN8qwjZx9S8g==',
  ],
  ['PBKDF2 as passlib', '$pbkdf2-sha256$1000$MDEyMzQ1Njc4OWFiY2RlZg$yqSq2SygY1sB4EcH9f2FG0JTMES.wqLsOT5YmiRBplI'],
  ['scrypt', scrypt],
  ['Firebase', firebase, 'user1password'],
  ['SuperTokens of Firebase', withSignerKey(superTokens, project.signerKey), 'user1password'],
  ['argon2i', '$argon2i$v=19$m=19456,p=1,t=3$v3YM5DyXeR5uoM9I+VhPEA$f8ShMP+xK5h2aAU05mx4nhVNFDKPCCwgIXoEARPv58c'],
  [
    'argon2id as Django',
    'argon2$argon2id$v=19$m=65536,p=4,t=3$FGnHS/ply6Dt7PudL39euw$+75cyD9WsxpYrSPBz9kvXCwfoSdKgLJaAivmEQ/NxTQ',
  ],
]

const weak: readonly [name: string, given: string][] = [
  ['MD5', 'md5$$9cc2ae8a1ba7a93da39b46fc1019c481'],
  ['MD5 in upper case', 'md5$$9CC2AE8A1BA7A93DA39B46FC1019C481'],
  ['salted MD5', 'md5$seasalt$9aa4b8addefd43dbf9340b7540e4e49a'],
  ['salted SHA-256', 'sha256$seasalt$31e598cfc54ba1a645dd5cf0eb814b0f199a6323a114856c32a19a27215f32df'],
  [
    'salted SHA-512',
    'sha512$seasalt$69a84e4052eb4c836e1439ab296028cc08dd73d7457adb16a8acd3f6770876d7acc271c86f49181da2f5e70fdb823fab66627596de70f5df561f9682e61ace66',
  ],
  ['MD5 as LDAP', '{MD5}nMKuihunqT2jm0b8EBnEgQ=='],
  ['salted SHA-1 as LDAP', '{SSHA}i2/zuLfQALGNrCjl+ClWAabjxndzZWFzYWx0'],
]

async function stored(given: string): Promise<string> {
  const made = await storableHash(given, hash)
  if (typeof made === 'string') throw new Error(`${made}: ${given}`)
  return made.stored
}

const floor = { memory: 19_456, passes: 2, lanes: 1 }
const isCheap = (text: string, ours = floor): boolean => {
  const read = readStoredHash(text)
  return typeof read === 'object' && read.isCheap(ours)
}

it.each<[name: string, given: string, expected: boolean]>([
  ['bcrypt of cost 8', '$2b$08$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K', true],
  ['bcrypt of cost 9', '$2b$09$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K', false],
  ['PBKDF2 of Keycloak until version 23', pbkdf2.replace('i=1000', 'i=27500'), true],
  ['PBKDF2 of Keycloak', pbkdf2.replace('i=1000', 'i=210000'), false],
  ['PBKDF2 of Django', django.replace('1000', '1200000'), false],
  ['scrypt of 1 MiB', scrypt, true],
  ['scrypt of 16 MiB', scrypt.replace('ln=10', 'ln=14'), false],
  ['Firebase', firebase, false],
  ['better-auth', `${'0'.repeat(32)}:${'0'.repeat(128)}`, false],
  ['Argon2 of Keycloak', argon2.replace('m=19456,t=2', 'm=7168,t=5'), false],
  ['Argon2 of 8 MiB', argon2.replace('m=19456,t=2', 'm=8192,t=1'), true],
  ['our own', argon2, false],
])(
  'a wrong password costs our own hash besides only where its hash is much cheaper: %s',
  async (_name, given, expected) => {
    expect(isCheap(given)).toBe(expected)
    const counted = createPasswords({ memory: 19_456, passes: 2, lanes: 1 })
    expect([await counted.verify(given, 'wrong'), counted.computed]).toEqual([false, expected ? 2 : 1])
  },
)

it.each<[name: string, given: string, memory: number, expected: boolean]>([
  ['our own from before', argon2, 38_912, true],
  ['our own from before, with little more memory now', argon2, 20_000, false],
  ['bcrypt of cost 9', '$2b$09$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K', 38_912, true],
  ['bcrypt of cost 10', '$2b$10$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K', 38_912, false],
  ['PBKDF2 of Keycloak', pbkdf2.replace('i=1000', 'i=210000'), 65_536, true],
  ['Firebase', firebase, 38_912, true],
  ['better-auth', `${'0'.repeat(32)}:${'0'.repeat(128)}`, 38_912, false],
  ['better-auth', `${'0'.repeat(32)}:${'0'.repeat(128)}`, 131_072, true],
])('a wrong password costs our own hash besides, measured by its cost: %s', async (_name, given, memory, expected) => {
  const counted = createPasswords({ ...floor, memory })
  expect(isCheap(given, { ...floor, memory })).toBe(expected)
  expect([await counted.verify(given, 'wrong'), counted.computed]).toEqual([false, expected ? 2 : 1])
})

it('nothing costs twice that is as we make it, however low our own cost is', async () => {
  const low = createPasswords({ memory: 1024, passes: 1, lanes: 1 })
  const own = await low.hash(horse)
  const answers = [await low.verify(own, 'wrong'), await low.verify(null, 'wrong')]
  expect([isCheap(own), answers, low.computed]).toEqual([true, [false, false], 3])
})

describe('a hash of another service', () => {
  it.each([...strong, ...weak])(
    'fits its password alone, costs one job of the queue, which lasts as long as ours, and is outdated: %s',
    async (...row) => {
      const [, given, password = horse] = row as [string, string, string?]
      const text = await stored(given)
      const { computed } = passwords
      expect(await passwords.verify(text, password)).toBe(true)
      expect(await passwords.verify(text, `${password}.`)).toBe(false)
      const decoys = isCheap(text) ? 1 : 0
      expect(passwords.computed).toBe(computed + 2 + decoys)
      expect(passwords.isOutdated(text)).toBe(true)
    },
  )

  it.each(weak)('is never stored bare when it costs nothing to try passwords: %s', async (_name, given) => {
    const text = await stored(given)
    expect(text).toMatch(/^\$wrapped\$.*\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    const secret = given.replace(/.*[$}]/, '')
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
    expect(await stored(given)).not.toBe(text)
  })
})

describe('a password of characters that have a normal form', () => {
  const spellings = ['Gro\u0308\u00dfe-Passwort', 'Gr\u00f6\u00dfe\u00b2-\u2163 pass']
  const salt = Buffer.from('0123456789abcdef')
  const sealed = (key: Buffer) => [salt, key].map(unpaddedBase64).join('$')
  const sha1 = (text: string) => createHash('sha1').update(text).digest('hex')
  const kinds: Readonly<Record<string, (typed: string) => string | Promise<string>>> = {
    argon2id: (typed) => makeHash(typed, { memoryCost: 7168, timeCost: 5 }),
    bcrypt: (typed) => bcrypt.hash(typed, 6),
    PBKDF2: (typed) => `$pbkdf2-sha256$i=1000$${sealed(pbkdf2Sync(typed, salt, 1000, 32, 'sha256'))}`,
    scrypt: (typed) => `$scrypt$ln=10,r=8,p=1$${sealed(scryptSync(typed, salt, 32, { N: 1024, r: 8, p: 1 }))}`,
    'SHA-1': (typed) => stored(`sha1$$${sha1(typed)}`),
    'better-auth': (typed) => {
      const hex = salt.toString('hex')
      const key = scryptSync(typed.normalize('NFKC'), hex, 64, { N: 16_384, r: 16, p: 1, maxmem: 67_108_864 })
      return `${hex}:${key.toString('hex')}`
    },
    'our own': hash,
  }

  it.each(Object.keys(kinds))('is verified as it was typed, and as it is written normally: %s', async (kind) => {
    for (const typed of spellings) {
      const text = (await kinds[kind]?.(typed)) ?? ''
      expect([await passwords.verify(text, typed), await passwords.verify(text, `${typed}.`)]).toEqual([true, false])
    }
  })

  it.each(Object.keys(kinds))('costs an unknown user no more than the user of a wrong one: %s', async (kind) => {
    const [wrong, text] = [`${spellings[0]}.`, (await kinds[kind]?.(horse)) ?? '']
    const counted = createPasswords(floor)
    expect([await counted.verify(null, wrong), counted.computed]).toEqual([false, 2])
    expect([await counted.verify(text, wrong), counted.computed]).toEqual([false, isCheap(text) ? 6 : 4])
  })
})

const many = '9'.repeat(10)
it.each([
  ['bcrypt', '$2b$15$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['bcrypt of the highest cost', '$2b$31$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['PBKDF2', pbkdf2.replace('i=1000', `i=${many}`)],
  ['PBKDF2 just above', pbkdf2.replace('i=1000', 'i=2500001')],
  ['PBKDF2 as Django', django.replace('1000', many)],
  ['scrypt with much memory', scrypt.replace('ln=10', 'ln=18')],
  ['scrypt whose memory overflows', scrypt.replace('ln=10', 'ln=999')],
  ['scrypt with many lanes', scrypt.replace('p=1', 'p=999999999')],
  ['scrypt with large blocks', scrypt.replace('r=8', 'r=999999999')],
  ['Firebase', firebase.replace('n=14', 'n=64')],
  ['Argon2', argon2.replace('m=19456', 'm=4194304')],
  ['a wrapped one', `$wrapped$md5,before=${argon2.replace('t=2', 't=11')}`],
])('an absurd cost is refused, and never computed: %s', async (_name, given) => {
  expect(await storableHash(given, hash)).toBe('costly')
  const problems: unknown[] = []
  const watched = createPasswords(
    { memory: 19_456, passes: 2, lanes: 1 },
    { onUnusable: (problem) => problems.push(problem) },
  )
  expect(await watched.verify(given, horse)).toBe(false)
  // The one that an unknown user costs.
  expect([watched.computed, problems]).toEqual([1, ['costly']])
})

it.each([
  ['a password', horse],
  ['nothing', ''],
  ['bare MD5, which could be anything', '9cc2ae8a1ba7a93da39b46fc1019c481'],
  ['MD5 of another length', 'md5$$9cc2ae8a1ba7a93da39b46fc1019c481aa'],
  ['a short LDAP hash', '{SSHA512}i2/zuLfQALGNrCjl+ClWAabjxndzZWFzYWx0'],
  ['bcrypt that was cut', '$2b$10$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5'],
  ['bcrypt without a cost', '$2b$00$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['another bcrypt', '$2x$10$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K'],
  ['PBKDF2 with MD5', django.replace('sha256', 'md5')],
  ['PBKDF2 with a short key', 'pbkdf2_sha256$1000$seasalt$3xmXbyk2'],
  ['PBKDF2 as Django with the key of another digest', django.replace('sha256', 'sha1')],
  ['PBKDF2 with the hex key of another digest', 'pbkdf2_sha512$1000$seasalt$f624588f46acd6be63f9c081c41f87325c64cabe'],
  ['PBKDF2 without iterations', django.replace('1000', '0')],
  ['scrypt with a damaged salt', scrypt.replace('MDEy', 'MD!y')],
  ['scrypt of one round', scrypt.replace('ln=10', 'ln=0')],
  ['scrypt without blocks', scrypt.replace('r=8', 'r=0')],
  ['scrypt without lanes', scrypt.replace('p=1', 'p=0')],
  ['Firebase without the key of its project', firebase.replace(/,sk=[^$]+/, '')],
  ['Firebase with an empty key of its project', firebase.replace(/,sk=[^$]+/, ',sk==')],
  ['Firebase without a hash', firebase.replace(/[^$]+$/, '=')],
  ['SuperTokens without the key of its project', superTokens],
  ['a wrapped one without a hash', '$wrapped$md5,before='],
  ['a weak one with a long salt', `md5$${'ä'.repeat(128)}$9cc2ae8a1ba7a93da39b46fc1019c481`],
  ['MD5 of Unix', '$1$seasalt$abcdefghijklmnopqrstu1'],
])('what can never be verified is refused: %s', async (_name, given) => {
  expect(await storableHash(given, hash)).toBe('unreadable')
})

const ofCost = (cost: string) => `$2b$${cost}$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K`
const withKey = (text: string, length: number) => text.replace(/[^$]+$/, unpaddedBase64(Buffer.alloc(length)))
const sha256 = pbkdf2.replace('sha512', 'sha256')

it.each([
  ['the highest cost of bcrypt', ofCost('14'), ofCost('15'), 'costly'],
  ['the lowest cost of bcrypt', ofCost('04'), ofCost('03'), 'unreadable'],
  ['the iterations of PBKDF2', pbkdf2.replace('=1000', '=2500000'), pbkdf2.replace('=1000', '=2500001'), 'costly'],
  [
    'the iterations of PBKDF2 with a longer key, which costs them twice',
    withKey(sha256.replace('=1000', '=1250000'), 33),
    withKey(sha256.replace('=1000', '=1250001'), 33),
    'costly',
  ],
  ['the longest key of PBKDF2', withKey(pbkdf2, 128), withKey(pbkdf2, 129), 'costly'],
  ['the shortest key of PBKDF2', withKey(pbkdf2, 16), withKey(pbkdf2, 15), 'unreadable'],
  ['the memory of scrypt', scrypt.replace('ln=10', 'ln=17'), scrypt.replace('ln=10,r=8', 'ln=17,r=9'), 'costly'],
  ['the lanes of scrypt', scrypt.replace('p=1', 'p=4'), scrypt.replace('p=1', 'p=5'), 'costly'],
  ['the shortest key of scrypt', withKey(scrypt, 16), withKey(scrypt, 15), 'unreadable'],
])('has a last one that is computed, and a first one that never is: %s', (_name, last, first, problem) => {
  expect([typeof readStoredHash(last), readStoredHash(first)]).toEqual(['object', problem])
})

it('computes scrypt with all the memory that is allowed', async () => {
  expect(await passwords.verify(scrypt.replace('ln=10', 'ln=17'), horse)).toBe(false)
})

it('a wrong password of bcrypt leaves the event loop free', async () => {
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await passwords.verify('$2b$12$abcdefghijklmnopqrstuu10cNU3mXRamSUZYs8I8M/Szu..qXq5K', horse)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(3)
})
