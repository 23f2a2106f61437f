import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { bcryptHash, lines, useExports } from '../../testing/exports.ts'
import { longLine, timeFor } from '../../testing/rounds.ts'
import type { Product } from './converters/converted-source.ts'

const { load, loadFiles, save } = useExports()

const user = (id: string, fields: object = {}) => ({
  type: 'user',
  id,
  email: `${id}@example.com`,
  name: id,
  ...fields,
})
const organization = (id: string, fields: object = {}) => ({ type: 'organization', id, name: id, slug: id, ...fields })
const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`c${n}`, n]))
const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

const key = (publicKey: object, algorithm?: string) =>
  lines([{ type: 'signingKey', id: 'k', algorithm, publicKey, publishedUntil: '2027-01-01T00:00:00Z' }])
const rsa = (bits: number, e = 'AQAB') => {
  const modulus = Buffer.alloc(bits / 8, 0xff)
  return { kty: 'RSA', n: modulus.toString('base64url'), e }
}
const onCurve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' })

describe('a hostile record is a line of the report, and nothing else is kept away:', () => {
  const withPassword = (id: string, password: string) => [
    user(id),
    { type: 'account', userId: id, providerId: 'credential', password },
  ]
  it.each<[name: string, text: string, reason: string]>([
    ['a record of many columns', lines([user('x', many)]), 'INVALID'],
    ['fields of many columns that are no fields', lines([user('x', { fields: { a: many } })]), 'INVALID'],
    [
      'metadata that is nested without end',
      `{"type":"organization","id":"x","name":"x","slug":"x","metadata":{"a":${deep}}}\n`,
      'TOO_DEEP',
    ],
    ['a record that is nested without end', `${deep}\n`, 'INVALID'],
    ['a NUL in the name of a field', lines([organization('x', { metadata: { 'a\u0000': 1 } })]), 'INVALID_TEXT'],
    ['a half of a character in a list', lines([organization('x', { metadata: { a: ['\ud800'] } })]), 'INVALID_TEXT'],
    ['a NUL in an id', lines([user('x\u0000', { email: 'x@example.com' })]), 'INVALID_TEXT'],
    ['a second spelling of an address', lines([user('x'), user('y', { email: ' X@Example.COM ' })]), 'EMAIL_TAKEN'],
    ['a team of itself', lines([{ type: 'team', id: 't', organizationId: 't', name: 'T' }]), 'ORGANIZATION_UNKNOWN'],
    [
      'a sponsor of itself',
      lines([user('x', { email: 'x@machine.invalid', organizationId: 'x', sponsorId: 'x' })]),
      'ORGANIZATION_UNKNOWN',
    ],
    ['bcrypt of 2^31 rounds', lines(withPassword('x', `$2b$31$${bcryptHash.slice(7)}`)), 'HASH_COSTLY'],
    [
      'Argon2 of 4 TiB',
      lines(
        withPassword(
          'x',
          `$argon2id$v=19$m=4294967295,t=1,p=1$MDEyMzQ1Njc4OTAxMjM0NQ$MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE`,
        ),
      ),
      'HASH_COSTLY',
    ],
    ['an RSA key of 512 bits', key(rsa(512)), 'KEY_UNSOUND'],
    ['an RSA key of 2040 bits', key(rsa(2040)), 'KEY_UNSOUND'],
    ['an RSA key of 8200 bits', key(rsa(8200)), 'KEY_UNSOUND'],
    ['an RSA key that verifies anything', key(rsa(2048, 'AQ')), 'KEY_UNSOUND'],
    ['an RSA key of the exponent 3', key(rsa(2048, 'Aw')), 'KEY_UNSOUND'],
    ['an RSA key whose exponent makes verifying costly', key(rsa(2048, 'AQAAAAE')), 'KEY_UNSOUND'],
    ['an RSA key for another algorithm', key(rsa(2048), 'RS512'), 'KEY_UNSUPPORTED'],
    ['a key of a curve that nobody uses here', key(onCurve('P-384')), 'KEY_UNSUPPORTED'],
    ['a key that everybody has', key({ kty: 'oct', k: 'AAAA' }, 'HS256'), 'KEY_UNSUPPORTED'],
  ])('%s', async (_name, text, reason) => {
    const path = await save(lines([user('first')]))
    await appendFile(path, text)
    await appendFile(path, lines([user('last')]))
    const { left, stored } = await load({ kind: 'file', path })
    expect(left.map((row) => row.reason)).toEqual([reason])
    expect(left[0]?.detail?.length ?? 0).toBeLessThanOrEqual(500)
    expect(stored.user).toBeGreaterThanOrEqual(2)
  })

  it.each([2048, 8192])('an RSA key of %i bits', async (bits) => {
    const { left, stored } = await load({ kind: 'file', path: await save(key(rsa(bits)).replace('"k"', `"${bits}"`)) })
    expect([left, stored.signingKey]).toEqual([[], 1])
  })

  it('many columns that an organization may have', async () => {
    const { left, stored } = await load({
      kind: 'file',
      path: await save(lines([organization('x', { metadata: many })])),
    })
    expect([left, stored.organization]).toEqual([[], 1])
  })
})

describe('a row of a table that cannot be read', () => {
  const header = 'id,primary_email_address,first_name\n'
  const row = (id: string, name = id) => `${id},${id}@example.com,${name}\n`
  const read = async (text: string) => {
    const { left, stored } = await loadFiles('clerk', Buffer.from(header + text, 'latin1'))
    const told = left.map(({ place = '', reason, detail }) => [place.replace(/ of .*/, ''), reason, detail])
    return { told, users: stored.user }
  }

  it.each([
    ['of another encoding', row('c', '"Ren\xe9\nMaria"'), 'lines 4 to 5', 'NOT_UTF8'],
    ['too long', row('c', `"${'x'.repeat(1_100_000)}\nMaria"`), 'lines 4 to 5', 'LINE_TOO_LONG'],
    [
      'too long as a whole',
      row('c', `"${'x'.repeat(600_000)}\n${'x'.repeat(600_000)}"`),
      'lines 4 to 5',
      'LINE_TOO_LONG',
    ],
    ['of too few fields', 'c,"one\n\ntwo"\n', 'lines 4 to 6', 'NOT_CSV'],
  ])('ends where its quotes do: %s', async (_, text, place, reason) => {
    expect(await read(row('a') + row('b') + text + row('d') + row('e'))).toEqual({
      told: [[place, reason, null]],
      users: 4,
    })
  })

  it('says how much is lost when its quotes never end', async () => {
    expect(await read(row('a') + row('b', '"B') + row('c') + row('d'))).toEqual({
      told: [['lines 3 to 5', 'NOT_CSV', 'quotes begin there and never end']],
      users: 1,
    })
  })
})

describe('hostile exports', () => {
  it.each<[Product, readonly (string | Buffer)[], readonly string[]]>([
    [
      'auth0',
      ['{"user_id":"a"\n[]\nnull\n"x"\n', '{"_id":{},"passwordHash":1}\n'],
      ['NOT_JSON', 'NOT_EXPORTED', 'NOT_EXPORTED', 'NOT_EXPORTED', 'NOT_EXPORTED'],
    ],
    ['auth0', [Buffer.from('{"user_id":"\xff"}\n', 'latin1'), ''], ['NOT_UTF8']],
    ['auth0', [`[${deep}]`], ['NOT_EXPORTED']],
    ['clerk', [''], []],
    ['clerk', ['id,email\n"a\n'], ['NOT_CSV']],
    ['clerk', [`id,email\n"${'x'.repeat(900_000)}\n${'x'.repeat(900_000)}\n`], ['NOT_CSV']],
    ['clerk', [`${Object.keys(many).join(',')}\n1,2\n`], ['NOT_CSV']],
    [
      'clerk',
      [Buffer.from('id,primary_email_address\n\xff,b\nu\0,u@example.com\n', 'latin1')],
      ['NOT_UTF8', 'INVALID_TEXT'],
    ],
    ['clerk', ['__proto__,constructor\n1,2\n'], ['NOT_EXPORTED']],
    ['firebase', ['{"users":{"a":[1]}}'], []],
    ['firebase', ['{"users":[{"localId":"a","email":"a@example.com"}'], ['NOT_JSON']],
    ['firebase', [''], ['NOT_JSON']],
    ['firebase', ['localId,email\na,a@example.com\n'], ['NOT_JSON']],
    ['firebase', [Buffer.from('\uFEFF{"users":[{"localId":"a"}]}', 'utf16le')], ['NOT_JSON']],
    ['firebase', ['\uFEFF \n{"users":[]}\n'], []],
    [
      'keycloak',
      [
        `{"users":[{"id":"a","email":"a@example.com","credentials":[{"type":"password","secretData":"{","credentialData":"{}"}]}]}`,
      ],
      ['HASH_UNKNOWN'],
    ],
    [
      'keycloak',
      ['{"organizations":[{"id":"o","name":"o","alias":"o","members":[{"username":"__proto__"}]}]}'],
      ['USER_UNKNOWN'],
    ],
    [
      'supabase',
      [
        'id,email,raw_user_meta_data\na,a@example.com,"{"\n',
        'id,user_id,provider,identity_data\n1,a,google,[]\n2,b,google,\n',
      ],
      ['USER_UNKNOWN'],
    ],
  ])('of %s are reported: %#', async (product, texts, reasons) => {
    const { left } = await loadFiles(product, ...texts)
    expect(left.map(({ reason }) => reason)).toEqual(reasons)
  })
})

it(`a line of ${longLine} MB is no longer held than it takes to count it`, timeFor(longLine, 3), async () => {
  for (const product of [null, 'auth0', 'clerk', 'firebase'] as const) {
    const path = await save('')
    await writeLong(path, product)
    const before = process.memoryUsage().rss
    const { left } = await load(product ? { kind: 'export', product, files: [path] } : { kind: 'file', path })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
    expect(left.map(({ reason }) => reason)).toContain('LINE_TOO_LONG')
  }
})

async function writeLong(path: string, product: Product | null): Promise<void> {
  const file = createWriteStream(path)
  file.write(product === 'clerk' ? 'id\n"' : product === 'firebase' ? '{"users":["' : '"')
  const part = Buffer.alloc(1024 * 1024, 'x')
  for (let written = 0; written < longLine; written += 1) if (!file.write(part)) await once(file, 'drain')
  file.end(product === 'firebase' ? '"]}' : '"\n')
  await once(file, 'finish')
}
