import { describe, expect, it } from 'vitest'
import { firebaseHash, firebasePassword, firebaseSalt, lines, useExports } from '../../../testing/exports.ts'

const { accountsOf, expectSignIns, load, loadFiles, save } = useExports()

describe('Firebase', () => {
  const user = (id: string, fields: object = {}) => ({
    localId: id,
    email: `${id}@example.com`,
    emailVerified: true,
    passwordHash: firebaseHash,
    salt: firebaseSalt,
    displayName: id,
    createdAt: '1614962116775',
    lastSignedInAt: '1614962116775',
    providerUserInfo: [],
    ...fields,
  })
  const info = (providerId: string, rawId: string, email?: string) => ({ providerId, rawId, email })
  const users = [
    user('ann', {
      providerUserInfo: [
        info('google.com', '77', 'ann@example.com'),
        info('github.com', '12', 'other@example.com'),
        info('oidc.acme', 'a1'),
        info('oidc.google', 'a2'),
        info('password', 'ann@example.com'),
      ],
    }),
    user('ben', {
      emailVerified: false,
      mfaInfo: [{ mfaEnrollmentId: 'm' }],
      providerUserInfo: [info('google.com', '78', 'ben@example.com')],
    }),
    user('cid', { email: undefined, phoneNumber: '+15005550006' }),
    user('dan', { version: 4 }),
  ]

  it('comes with its passwords and identities, none of which proves a mailbox that is not verified', async () => {
    const { reasons, secondFactors } = await loadFiles(
      'firebase',
      JSON.stringify({ kind: 'x', users, more: [{ users: [1] }] }),
    )
    expect(reasons).toEqual([
      ['account', 'oidc.google a2', 'PROVIDER_UNKNOWN'],
      ['user', 'cid', 'EMAIL_MISSING'],
      ['account', 'dan', 'HASH_UNKNOWN'],
    ])
    expect(secondFactors).toBe(1)
    expect(await accountsOf()).toEqual([
      ['ann', 'acme', 'a1', null],
      ['ann', 'github', '12', null],
      ['ann', 'google', '77', 'earlier'],
      ['ben', 'google', '78', null],
    ])
    await expectSignIns([
      ['ann@example.com', firebasePassword],
      ['ben@example.com', firebasePassword],
    ])
  })

  it('tells nothing of second factors where its file has none of anybody, as its command line leaves them out', async () => {
    expect(await loadFiles('firebase', JSON.stringify({ users: [user('ann')] }))).toMatchObject({ secondFactors: null })
  })

  it('says when the parameters of the project are missing', async () => {
    const path = await save(JSON.stringify({ users }))
    const { reasons } = await load({ kind: 'export', product: 'firebase', files: [path] }, null)
    expect(reasons).toContainEqual(['account', 'ann', 'HASH_CONFIG_MISSING'])
  })

  it('reads no more of a list than one entry, whatever stands there', async () => {
    const text = `{"a":"\\"users\\":[{","users":[ ${JSON.stringify(user('ann'))}, {"localId":"\xff"}, {"x":"]},"}, 5, "${'x'.repeat(2_000_000)}",[[`
    const { reasons, stored, left } = await loadFiles('firebase', Buffer.from(text, 'latin1'))
    expect(stored.user).toBe(1)
    expect(reasons.map(([, , reason]) => reason)).toEqual([
      'NOT_UTF8',
      'NOT_EXPORTED',
      'NOT_EXPORTED',
      'LINE_TOO_LONG',
      'NOT_JSON',
    ])
    expect(left[1]).toMatchObject({
      place: expect.stringMatching(/^users 3 of export-\d+$/),
      detail: expect.stringMatching(/^localId: /),
    })
    expect(left[2]?.detail).toMatch(/^Invalid input: expected object/)
  })
})

it('SuperTokens keeps the signer key of Firebase elsewhere', async () => {
  const password = `$f_scrypt$${firebaseHash}$${firebaseSalt}$m=14$r=8$s=Bw==`
  const path = await save(
    lines([
      { type: 'user', id: 'ann', email: 'ann@example.com', name: 'Ann' },
      { type: 'account', userId: 'ann', providerId: 'credential', password },
    ]),
  )
  expect((await load({ kind: 'file', path })).stored).toMatchObject({ user: 1, account: 1 })
  await expectSignIns([['ann@example.com', firebasePassword]])
})
