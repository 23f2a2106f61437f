import { scryptSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  argon2Hash,
  bcryptHash,
  derived,
  firebaseHash,
  firebasePassword,
  firebaseSalt,
  horse,
  lines,
  plain,
  project,
  salt,
  useExports,
} from '../../../testing/exports.ts'

const { accountsOf, expectSignIns, loadFiles, sql, usersOf } = useExports()

describe('Auth0', () => {
  const identity = (provider: string, id: string, profileData?: object) => ({
    provider,
    user_id: id,
    connection: provider,
    isSocial: provider !== 'auth0',
    ...(profileData && { profileData }),
  })
  const user = (id: string, fields: object = {}) => ({
    user_id: `auth0|${id}`,
    email: `${id}@example.com`,
    email_verified: true,
    name: id,
    nickname: id,
    picture: 'https://example.com/a.png',
    created_at: '2021-03-05T16:35:16.775Z',
    updated_at: '2021-03-05T16:35:16.775Z',
    identities: [identity('auth0', id)],
    ...fields,
  })
  const hash = (id: string, passwordHash = bcryptHash) => ({
    _id: { $oid: id },
    email: `${id}@example.com`,
    email_verified: true,
    passwordHash,
    password_set_date: { $date: '2021-03-05T16:35:16.775Z' },
    tenant: 'dev',
    connection: 'Username-Password-Authentication',
    _tmp_is_unique: true,
  })

  it('comes with its passwords and identities', async () => {
    const users = [
      user('ann', {
        identities: [
          identity('auth0', 'ann'),
          identity('github', '12', { email: 'other@example.com', email_verified: true }),
          identity('windowslive', 'abc'),
        ],
      }),
      user('ben', { email_verified: false, blocked: true }),
      user('cid', {
        user_id: 'google-oauth2|77',
        identities: [
          identity('google-oauth2', '77'),
          identity('auth0', 'c2', { email: 'cid@example.com', email_verified: false }),
        ],
      }),
      user('eve', {
        user_id: 'google-oauth2|78',
        identities: [
          identity('google-oauth2', '78'),
          identity('auth0', 'e2', { email: 'eve@example.com', email_verified: true }),
        ],
      }),
      user('dot', { user_id: 'twitter|5', email: undefined, identities: [identity('twitter', '5')] }),
    ]
    const { stored, reasons } = await loadFiles(
      'auth0',
      lines(users),
      lines([hash('ann'), hash('ben'), hash('c2'), hash('e2'), hash('x')]),
    )
    expect(reasons).toEqual([
      ['account', 'windowslive abc', 'PROVIDER_UNKNOWN'],
      ['user', 'twitter|5', 'EMAIL_MISSING'],
      ['account', expect.any(String), 'USER_UNKNOWN'],
    ])
    expect(stored).toMatchObject({ user: 4, account: 7 })
    expect(await accountsOf()).toEqual([
      // Linked with another address than that of the user.
      ['auth0|ann', 'github', '12', null],
      ['google-oauth2|77', 'google', '77', 'earlier'],
      ['google-oauth2|78', 'google', '78', 'earlier'],
    ])
    const proofs = await sql()`
      select user_id, mailbox_proof from accounts where provider_id = 'credential' and user_id like 'google%' order by 1
    `
    // A password proves what its own user verified.
    expect(proofs).toEqual([
      { user_id: 'google-oauth2|77', mailbox_proof: null },
      { user_id: 'google-oauth2|78', mailbox_proof: 'earlier' },
    ])
    expect(await usersOf()).toMatchObject([{ email_verified: true }, { email_verified: false, banned: true }, {}, {}])
    await sql()`update users set banned = false`
    await expectSignIns([['ann@example.com'], ['ben@example.com'], ['cid@example.com']])
  })

  it('comes from a file for its own import, with each kind of hash', async () => {
    const sha256 = '31e598cfc54ba1a645dd5cf0eb814b0f199a6323a114856c32a19a27215f32df'
    const base64 = (bytes: Buffer) => ({ value: bytes.toString('base64'), encoding: 'base64' })
    const custom: Readonly<Record<string, object>> = {
      argon: { algorithm: 'argon2', hash: { value: argon2Hash, encoding: 'utf8' } },
      bcrypt: { algorithm: 'bcrypt', hash: { value: bcryptHash } },
      derived: {
        algorithm: 'pbkdf2',
        hash: { value: `$pbkdf2-sha512$i=1000,l=64$${plain(salt)}$${plain(derived('sha512', 64))}`, encoding: 'utf8' },
      },
      before: {
        algorithm: 'sha256',
        hash: { value: sha256, encoding: 'hex' },
        salt: { value: 'seasalt', position: 'prefix' },
      },
      after: {
        algorithm: 'sha1',
        hash: { value: 'i2/zuLfQALGNrCjl+ClWAabjxnc=', encoding: 'base64' },
        salt: { value: 'seasalt', position: 'suffix' },
      },
      bare: { algorithm: 'md5', hash: { value: '9cc2ae8a1ba7a93da39b46fc1019c481', encoding: 'hex' } },
      scrypt: { algorithm: 'scrypt', hash: base64(scryptSync(horse, salt, 32)), salt: base64(salt), cost: 16_384 },
      utf8: {
        algorithm: 'md5',
        hash: { value: '9cc2ae8a1ba7a93da39b46fc1019c481', encoding: 'hex' },
        password: { encoding: 'utf8' },
      },
      utf16: {
        algorithm: 'md5',
        hash: { value: '9cc2ae8a1ba7a93da39b46fc1019c481', encoding: 'hex' },
        password: { encoding: 'utf16le' },
      },
      hmac: { algorithm: 'hmac', hash: { value: 'AA==', encoding: 'base64', digest: 'sha1' } },
    }
    const users = Object.entries(custom).map(([id, hashed]) => ({
      email: `${id}@example.com`,
      user_id: id,
      custom_password_hash: hashed,
    }))
    const { reasons, secondFactors } = await loadFiles('auth0', JSON.stringify(users, null, 2))
    expect(reasons).toEqual([
      ['account', 'auth0|utf16', 'HASH_UNKNOWN'],
      ['account', 'auth0|hmac', 'HASH_UNKNOWN'],
    ])
    // Nobody of the file has one, and the users export has none of anybody.
    expect(secondFactors).toBeNull()
    await expectSignIns(
      ['argon', 'bcrypt', 'derived', 'before', 'after', 'bare', 'scrypt', 'utf8'].map((id) => [`${id}@example.com`]),
    )
  })

  it('comes without a moment that cannot be read, and that is reported', async () => {
    const { left, stored } = await loadFiles('auth0', lines([user('ann', { created_at: 'yesterday' })]))
    expect(left).toMatchObject([{ id: 'auth0|ann', reason: 'ALTERED', detail: 'createdAt' }])
    expect(stored.user).toBe(1)
  })

  it('tells who has a second factor where its file for the import does', async () => {
    const factors = [{ totp: { secret: 'JBSWY3DPEHPK3PXP' } }, { phone: { value: '+15005550006' } }]
    const users = [user('ann', { mfa_factors: factors }), user('ben', { mfa_factors: [] }), user('cid')]
    expect(await loadFiles('auth0', lines(users))).toMatchObject({ secondFactors: 1, reasons: [] })
  })
})

it('Clerk comes with its passwords', async () => {
  const header =
    'id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher'
  const row = (id: string, digest: string, hasher: string, verified = `${id}@example.com`) =>
    `user_${id},"Ann ""A"", of
Acme",Other,,${id}@example.com,,${verified},,,,${id === 'md5' ? 'JBSWY3DP' : ''},${digest},${hasher}`
  const rows = [
    row('bcrypt', bcryptHash, 'bcrypt', ''),
    row('argon', `"${argon2Hash}"`, 'argon2id', '"x@example.com, argon@example.com"'),
    row('django', 'pbkdf2_sha256$1000$seasalt$3xmXbyk2QpiyNcnoBbzRPwEBsYPTbDlRdtmLyBvQltA=', 'pbkdf2_sha256_django'),
    row(
      'derived',
      `pbkdf2_sha256$1000$${salt.toString('base64')}$${derived('sha256', 32).toString('base64')}`,
      'pbkdf2_sha256',
    ),
    row('hex', 'pbkdf2_sha1$1000$seasalt$f624588f46acd6be63f9c081c41f87325c64cabe', 'pbkdf2_sha1'),
    row('length', `pbkdf2_sha1$1000$${salt.toString('hex')}$${derived('sha1', 32).toString('hex')}$32`, 'pbkdf2_sha1'),
    row('md5', '9cc2ae8a1ba7a93da39b46fc1019c481', 'md5'),
    row('firebase', `${firebaseHash}$${firebaseSalt}$${project.signerKey}$Bw==$8$14`, 'scrypt_firebase'),
    row('phpass', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0', 'phpass'),
    'user_short,only,three',
    `user_none,,,only-a-name,,+15005550006,,,,,,,`,
  ]
  const { reasons, secondFactors, left } = await loadFiles('clerk', `${[header, ...rows].join('\r\n')}\r\n`)
  expect(reasons).toEqual([
    ['account', 'user_phpass', 'HASH_UNKNOWN'],
    [null, null, 'NOT_CSV'],
    ['user', 'user_none', 'EMAIL_MISSING'],
  ])
  expect(secondFactors).toBe(1)
  expect(left[1]?.place).toMatch(/^line 20 of export-/)
  const people = await usersOf()
  expect(people.filter(({ email_verified: isVerified }) => !isVerified)).toMatchObject([
    { email: 'bcrypt@example.com' },
  ])
  expect(people[0]).toMatchObject({ id: 'user_argon', name: 'Ann "A", of\nAcme Other' })
  const known = ['bcrypt', 'argon', 'django', 'derived', 'hex', 'length', 'md5'].map(
    (id) => [`${id}@example.com`] as const,
  )
  await expectSignIns([...known, ['firebase@example.com', firebasePassword]])
})
