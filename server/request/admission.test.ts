import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../crypto/token.ts'
import type { Sql } from '../db/connect.ts'
import { insertSession } from '../db/session-start.ts'
import { testClient } from '../testing/client.ts'
import {
  type AdmittedSession,
  admit,
  type ProofHolder,
  type ProofKind,
  requireAdmission,
  SessionProof,
} from './admission.ts'
import type { Client } from './client.ts'

class TestProof extends SessionProof {}
const gate = {
  config: { REQUIRE_EMAIL_VERIFICATION: true, SESSION_EXPIRES_IN: 600, SESSION_MAX_AGE: 900, SESSION_LIMIT: 3 },
  keys: { cookie: { label: Buffer.from('label') } },
}
const ann: ProofHolder = { id: 'ann', isBanned: false, emailVerified: true }
const kinds: readonly ProofKind[] = [
  'sign-up',
  'password',
  'identity',
  'approved-device',
  'mailed-link',
  'renewed-session',
  'impersonation',
  'workload',
]
const needVerifiedAddress: readonly ProofKind[] = ['sign-up', 'password', 'identity', 'approved-device']

const outcomeOf = (kind: ProofKind, holder: ProofHolder | null, provesAddress = false) =>
  admit(gate, testClient(), new TestProof(kind, holder, provesAddress))

describe.each(kinds)('the gate, shown a proof of the kind %s', (kind) => {
  it('admits whoever may enter, and lets no banned user in', () => {
    expect(outcomeOf(kind, ann)).toMatchObject({ kind: 'admitted', admitted: { userId: 'ann', limit: 3 } })
    expect(outcomeOf(kind, { ...ann, isBanned: true })).toEqual({ kind: 'banned' })
    expect(outcomeOf(kind, { ...ann, isBanned: true, emailVerified: false })).toEqual({ kind: 'banned' })
  })

  it('lets an unverified address in only where the rule of the kind, or the proof, says so', () => {
    const isNeeded = needVerifiedAddress.includes(kind)
    expect(outcomeOf(kind, { ...ann, emailVerified: false }).kind).toBe(isNeeded ? 'unverified' : 'admitted')
    expect(outcomeOf(kind, { ...ann, emailVerified: false }, true).kind).toBe('admitted')
  })

  it('leaves to the statement what it does not know yet', () => {
    const needsVerifiedAddress = needVerifiedAddress.includes(kind)
    expect(outcomeOf(kind, null)).toMatchObject({ admitted: { userId: null, needsVerifiedAddress } })
  })
})

it('the gate answers with its refusal where a call has no other answer', () => {
  const enter = (holder: ProofHolder) => () => requireAdmission(gate, testClient(), new TestProof('password', holder))
  expect(enter({ ...ann, isBanned: true })).toThrow('You have been banned from this application')
  expect(enter({ ...ann, emailVerified: false })).toThrow('Email not verified')
})

describe('what is stored and issued', () => {
  const long = { ...gate, config: { ...gate.config, SESSION_EXPIRES_IN: 200_000, SESSION_MAX_AGE: 300_000 } }

  it.each([
    [true, 200_000, 200_000],
    [false, 86_400, null],
  ])('ends with its time; remembered %s', (remembered, lifetime, maxAge) => {
    const { admitted, issued } = requireAdmission(long, testClient(), new TestProof('password', ann), { remembered })
    expect([admitted.session.lifetime, issued.maxAge]).toEqual([lifetime, maxAge])
  })

  it('names the user of a browser, but nobody whom an administrator only acts as', () => {
    const userIdOf = (kind: ProofKind) => requireAdmission(gate, testClient(), new TestProof(kind, ann)).issued.userId
    expect([userIdOf('password'), userIdOf('impersonation')]).toEqual(['ann', null])
  })

  const kept = { token: 'own', keptTokens: ['own', 'other'], hasRoomFor: () => true }
  it.each<
    [string, Partial<Client>, readonly [ProofKind, ProofHolder | null], readonly [string | null, readonly string[]]]
  >([
    ['nothing of a new browser', {}, ['password', ann], [null, []]],
    ['the session before', { token: 'own' }, ['password', ann], ['own', []]],
    ['none where several are kept', kept, ['password', ann], [null, ['own', 'own', 'other']]],
    ['the session that is not kept', { ...kept, token: 'loose' }, ['password', ann], ['loose', ['own', 'other']]],
    [
      'the session before where there is no room',
      { ...kept, hasRoomFor: () => false },
      ['password', ann],
      ['own', ['own', 'other']],
    ],
    ['none of a machine that waited for a browser', kept, ['approved-device', null], [null, []]],
    ['none of an administrator who acts as somebody', kept, ['impersonation', ann], [null, []]],
  ])('ends %s', (_what, client, [kind, holder], [replaced, renewed]) => {
    const { admitted } = requireAdmission(gate, { ...testClient(), ...client }, new TestProof(kind, holder))
    const { replaces, renews } = admitted.session
    expect([replaces, renews]).toEqual([replaced && digestOf(replaced), renewed.map(digestOf)])
  })
})

describe('a session', () => {
  it('cannot be inserted without an admission, nor admitted without a proof', () => {
    const { admitted } = requireAdmission(gate, testClient(), new TestProof('password', ann))
    const { session, userId, limit, needsVerifiedAddress } = admitted
    const lookAlike = { session, userId, limit, needsVerifiedAddress, isAdmitted: true } as const
    // @ts-expect-error: only the gate makes one
    const madeUp: AdmittedSession = lookAlike
    const holder = { kind: 'password', holder: ann, provesAddress: false, isProof: true } as const
    const attempts = [
      // @ts-expect-error: a session alone
      (sql: Sql) => insertSession(sql, session, sql``),
      // @ts-expect-error: nor by what looks like an admission
      (sql: Sql) => insertSession(sql, lookAlike, sql``),
      // @ts-expect-error: only what verified something makes a proof
      () => admit(gate, testClient(), holder),
    ]
    expect(attempts).toHaveLength(3)
    expect(madeUp.userId).toBe('ann')
  })
})

const folder = new URL('../', import.meta.url)
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|^testing\/|^bench\//.test(path))
  .map((path) => ({ path, text: readFileSync(new URL(path, folder), 'utf8') }))
const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)

it('one statement inserts sessions, and each kind of proof is made in one place, by what verifies it', () => {
  expect(filesWith(/insert\s+into\s+sessions/i)).toEqual(['db/session-start.ts'])
  const makers = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/super\('([\w-]+)', /g)].map(([, kind]) => [kind, path]),
  )
  expect(Object.fromEntries(makers)).toEqual({
    'sign-up': 'domain/account/sign-up.ts',
    password: 'domain/account/verify-password.ts',
    'renewed-session': 'domain/account/verify-password.ts',
    identity: 'domain/social/verify-identity.ts',
    'approved-device': 'domain/device/decide.ts',
    'mailed-link': 'domain/email/verify-email.ts',
    impersonation: 'domain/admin/sessions.ts',
    workload: 'domain/trust/exchange-token.ts',
  })
  expect(makers).toHaveLength(kinds.length)
  expect(new Set(filesWith(/extends SessionProof/))).toEqual(new Set(makers.map(([, path]) => path)))
  expect(filesWith(/export (abstract )?class \w+ extends SessionProof/)).toEqual([])
})
