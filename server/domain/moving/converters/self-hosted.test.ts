import { hashRaw } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { connectForMigration, type Driver } from '../../../db/connect.ts'
import { emptyDatabase, settingsOf } from '../../../testing/database.ts'
import { bcryptHash, derived, horse, salt, useExports } from '../../../testing/exports.ts'

const { accountsOf, expectSignIns, load, loadFiles, sql, usersOf } = useExports()

it('Keycloak comes with its passwords, identities and organizations', async () => {
  const credential = (algorithm: string, hashIterations: number, value: Buffer | string, more: object = {}) => ({
    id: 'c',
    type: 'password',
    createdDate: 1_614_962_116_775,
    secretData: JSON.stringify({
      value: typeof value === 'string' ? value : value.toString('base64'),
      salt: salt.toString('base64'),
      additionalParameters: {},
    }),
    credentialData: JSON.stringify({ hashIterations, algorithm, additionalParameters: more }),
  })
  const raw = await hashRaw(horse, { memoryCost: 7168, timeCost: 5, salt })
  const parameters = { hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] }
  const otp = { type: 'otp', secretData: 'none', credentialData: '{"subType":"totp","digits":6}' }
  const user = (id: string, credentials: readonly object[], fields: object = {}) => ({
    id: `id-${id}`,
    username: id,
    email: `${id}@example.com`,
    firstName: 'Ann',
    lastName: id,
    emailVerified: true,
    enabled: true,
    createdTimestamp: 1_614_962_116_775,
    totp: false,
    credentials,
    realmRoles: ['default-roles-acme'],
    groups: ['/staff'],
    ...fields,
  })
  const identities = ['google', 'github', 'gitlab', 'facebook', 'acme', 'microsoft'].map((identityProvider) => ({
    identityProvider,
    userId: 'f',
    userName: 'x',
  }))
  const realm = {
    realm: 'acme',
    groups: [{ name: 'staff' }],
    identityProviders: [
      { alias: 'google', providerId: 'google', config: {} },
      { alias: 'github', providerId: 'github', config: { baseUrl: 'https://github.example.com' } },
      { alias: 'gitlab', providerId: 'oidc', config: {} },
      { alias: 'acme', providerId: 'oidc', config: {} },
      { alias: 'microsoft', providerId: 'microsoft' },
    ],
    organizations: [
      {
        id: 'o1',
        name: 'Acme',
        alias: 'acme',
        members: [{ username: 'argon', membershipType: 'UNMANAGED' }, { username: 'x' }],
      },
    ],
    users: [
      user('argon', [otp, credential('argon2', 5, raw, parameters)], { federatedIdentities: identities }),
      user('sha256', [credential('pbkdf2-sha256', 1000, derived('sha256', 64))]),
      user('sha512', [credential('pbkdf2-sha512', 1000, derived('sha512', 64))]),
      user('sha1', [credential('pbkdf2', 1000, derived('sha1', 20))]),
      user('bcrypt', [credential('bcrypt', -1, bcryptHash)], { emailVerified: false, enabled: false }),
      user('other', [credential('whirlpool', 1, bcryptHash)]),
      user('service', [], { serviceAccountClientId: 'app', email: undefined }),
    ],
  }
  const { reasons, secondFactors, stored } = await loadFiles('keycloak', JSON.stringify(realm, null, 2))
  expect(reasons).toEqual([
    ...['github', 'gitlab', 'facebook', 'microsoft'].map((name) => ['account', `${name} f`, 'PROVIDER_UNKNOWN']),
    ['account', 'id-other', 'HASH_UNKNOWN'],
    ['member', 'x', 'USER_UNKNOWN'],
  ])
  expect(secondFactors).toBe(1)
  expect(stored).toMatchObject({ user: 6, account: 7, organization: 1, member: 1 })
  expect(await accountsOf()).toEqual([
    // Its file does not tell which address a provider told.
    ['id-argon', 'acme', 'f', null],
    ['id-argon', 'google', 'f', null],
  ])
  expect(await usersOf()).toMatchObject([
    { name: 'Ann argon' },
    { email_verified: false, banned: true },
    {},
    {},
    {},
    {},
  ])
  await sql()`update users set banned = false`
  await expectSignIns(['argon', 'sha256', 'sha512', 'sha1', 'bcrypt'].map((id) => [`${id}@example.com`]))
})

describe('Supabase', () => {
  const ann = '7c7d1f3e-0000-4000-8000-000000000001'
  const ben = '7c7d1f3e-0000-4000-8000-000000000002'
  const ever = '7c7d1f3e-0000-4000-8000-000000000004'
  const sso = '7c7d1f3e-0000-4000-8000-000000000005'
  const schema = `
    create schema auth;
    create table auth.users (id uuid primary key, aud text, role text, email text, encrypted_password text,
      email_confirmed_at timestamptz, raw_user_meta_data jsonb, banned_until timestamptz, deleted_at timestamptz,
      is_anonymous boolean, phone text, created_at timestamptz, updated_at timestamptz, is_sso_user boolean);
    create table auth.identities (provider_id text, user_id uuid, identity_data jsonb, provider text,
      last_sign_in_at timestamptz, created_at timestamptz, updated_at timestamptz, email text, id uuid primary key);
    insert into auth.users values
      ('${ann}', 'authenticated', 'authenticated', 'ann@example.com', '${bcryptHash}', '2021-03-05 16:35:16.775+00',
       '{"full_name": "Ann, A", "avatar_url": "https://example.com/a.png"}', null, null, false, null, now(), now()),
      ('${ben}', 'authenticated', 'authenticated', 'ben@example.com', '${bcryptHash}', null, '{}', '2999-01-01', null,
       false, null, now(), now()),
      (gen_random_uuid(), 'authenticated', 'authenticated', 'gone@example.com', '', now(), null, null, now(), false, null, now(), now()),
      ('7c7d1f3e-0000-4000-8000-000000000003', 'authenticated', 'authenticated', null, null, null, null, null, null, true, null, now(), now()),
      ('${ever}', 'authenticated', 'authenticated', 'ever@example.com', null, null, null, 'infinity', null, false, null, now(), now());
    insert into auth.users values
      ('${sso}', 'authenticated', 'authenticated', 'ANN@example.com', null, now(), null, null, null, false, null, now(), now(), true);
    insert into auth.identities (provider_id, user_id, identity_data, provider, id) values
      ('${ann}', '${ann}', '{}', 'email', '00000000-0000-4000-8000-000000000001'),
      ('77', '${ann}', '{"sub": "77", "email": "ann@example.com", "email_verified": true}', 'google', '00000000-0000-4000-8000-000000000002'),
      ('12', '${ann}', '{"sub": "12", "email": "ann@example.com", "email_verified": false}', 'github', '00000000-0000-4000-8000-000000000003'),
      ('78', '${ben}', '{"sub": "78", "email": "ben@example.com", "email_verified": true}', 'google', '00000000-0000-4000-8000-000000000004'),
      ('1', '${ann}', '{}', 'sso:1', '00000000-0000-4000-8000-000000000005');
    create table auth.mfa_factors (id uuid primary key, user_id uuid, status text);
    insert into auth.mfa_factors values (gen_random_uuid(), '${ann}', 'verified'),
      (gen_random_uuid(), '${ann}', 'verified'), (gen_random_uuid(), '${ben}', 'unverified');`

  async function withDatabase<T>(work: (from: string, there: Driver) => Promise<T>): Promise<T> {
    const { database, drop } = await emptyDatabase()
    const there = connectForMigration(database)
    try {
      await there.unsafe(schema)
      return await work(settingsOf(database)['DATABASE_URL'] ?? '', there)
    } finally {
      await there.end()
      await drop()
    }
  }

  const exported = async (there: Driver, table: string): Promise<string> => {
    let text = ''
    for await (const part of await there.unsafe(`copy auth.${table} to stdout csv header`).readable())
      text += String(part)
    return text
  }

  it.each(['database', 'files'])('comes from its %s', async (from) => {
    const { reasons, secondFactors, stored } = await withDatabase(async (address, there) =>
      from === 'database'
        ? load({ kind: 'supabase', from: address })
        : loadFiles('supabase', await exported(there, 'users'), await exported(there, 'identities')),
    )
    expect(reasons).toEqual([
      ['user', '7c7d1f3e-0000-4000-8000-000000000003', 'EMAIL_MISSING'],
      ['user', sso, 'SSO_USER'],
      ['account', 'sso:1 1', 'PROVIDER_UNKNOWN'],
    ])
    // The files of the two tables do not tell.
    expect(secondFactors).toBe(from === 'database' ? 1 : null)
    expect(stored).toMatchObject({ user: 3, account: 5 })
    expect(await accountsOf()).toEqual([
      [ann, 'github', '12', null],
      [ann, 'google', '77', 'earlier'],
      [ben, 'google', '78', null],
    ])
    expect(await usersOf()).toMatchObject([
      { name: 'Ann, A', email_verified: true },
      { email_verified: false, banned: true },
      { email: 'ever@example.com', banned: true },
    ])
    expect(await sql()`select from users where banned and ban_expires is null`).toHaveLength(1)
    await sql()`update users set banned = false`
    await expectSignIns([['ann@example.com'], ['ben@example.com']])
  })

  it('is read from its first row again after a crash, since its rows are others by then', async () => {
    const reasons = await withDatabase(async (from, there) => {
      const stop = new AbortController()
      const onProgress = (_: number, read: number) => read === 2 && stop.abort()
      const options = { batch: 1, signal: stop.signal, onProgress }
      await expect(load({ kind: 'supabase', from }, null, options)).rejects.toThrow('aborted')
      expect(await usersOf()).not.toEqual([])
      await there.unsafe(`
        insert into auth.users (id, email) values ('00000000-0000-4000-8000-000000000001', 'new@example.com');
        delete from auth.users where id = '7c7d1f3e-0000-4000-8000-000000000003'`)
      return (await load({ kind: 'supabase', from }, null, { batch: 1 })).reasons
    })
    expect(reasons).toEqual([
      ['user', sso, 'SSO_USER'],
      ['account', 'sso:1 1', 'PROVIDER_UNKNOWN'],
    ])
    expect((await usersOf()).map(({ email }) => email)).toEqual([
      'ann@example.com',
      'ben@example.com',
      'ever@example.com',
      'new@example.com',
    ])
    expect(await accountsOf()).toHaveLength(3)
  })

  it('says when there is none', async () => {
    const { database, drop } = await emptyDatabase()
    const from = settingsOf(database)['DATABASE_URL'] ?? ''
    await expect(load({ kind: 'supabase', from })).rejects.toThrow('no table auth.users')
    await drop()
  })
})
