import { expect, it } from 'vitest'
import { adminOf, somebody } from '../../testing/admins.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { done, found } from '../../testing/organizations.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

const service = useTestService()
const acme = useMade(() => found(service))

it.each([
  ['sets their password', '/admin/set-user-password', { newPassword: 'another horse battery staple' }],
  ['ends all their sessions', '/admin/revoke-user-sessions', {}],
])('a person’s own keys end when an administrator %s: somebody else may have made them', async (_, path, fields) => {
  const [admin, ann] = [await adminOf(service), await somebody(service)]
  const [own, ofAcme] = [await ownKey(ann), await organizationKey(acme)]
  await done(admin.post(path, { userId: ann.id, ...fields }))
  expect((await machine(service, own.token).get('/get-session')).body).toBeNull()
  expect((await machine(service, ofAcme.token).get('/get-session')).body).not.toBeNull()
})

it.each<[string, (person: Visitor) => Promise<Reply>, boolean]>([
  ['revoke-sessions', (person) => person.post('/revoke-sessions'), false],
  ['revoke-other-sessions', (person) => person.post('/revoke-other-sessions'), false],
  ['a new password that signs everybody else out', (person) => change(person, true), false],
  ['a new password alone', (person) => change(person, false), true],
])(
  'after %s a person’s own keys live on only where other sessions do; the trail counts them',
  async (_, ask, lives) => {
    const ann = await somebody(service)
    const [one, two, ofAcme] = [await ownKey(ann), await ownKey(ann), await organizationKey(acme)]
    await done(ask(ann))
    for (const { token } of [one, two])
      expect((await machine(service, token).get('/get-session')).body !== null).toBe(lives)
    expect((await machine(service, ofAcme.token).get('/get-session')).body).not.toBeNull()
    const told = await service.deps.sql`
    select details from audit_events where event = 'sessions-revoked' and user_id = ${ann.id}
  `
    expect(told.map(({ details }) => details.keys)).toEqual(lives ? [] : [2])
  },
)

const change = (person: Visitor, revokeOtherSessions: boolean) =>
  person.post('/change-password', {
    currentPassword: testPassword,
    newPassword: 'another horse battery staple',
    revokeOtherSessions,
  })

it.each<[string, (person: Visitor, keyId: string) => Promise<Reply>]>([
  ['a key of one’s own', (person) => person.post('/key/create', { name: 'late' })],
  ['a key', (person) => person.post('/key/create', { name: 'late', organizationId: acme.id, role: 'member' })],
  ['another secret', (person, keyId) => person.post('/key/rotate', { keyId })],
  ['a key of another member', (person, keyId) => person.post('/key/adopt', { keyId })],
  [
    'what a removed member made',
    async (person) => {
      const { memberId } = await acme.join('admin')
      const removal = { memberIdOrEmail: memberId, organizationId: acme.id, keys: 'adopt' }
      return person.post('/organization/remove-member', removal)
    },
  ],
  [
    'a trust rule',
    (person) => {
      const claims = { project_path: 'acme/site' }
      const rule = { name: 'late', role: 'member', issuer: 'https://gitlab.com', claims }
      return person.post('/key/trust/create', { ...rule, organizationId: acme.id })
    },
  ],
])('%s is not had by a session that ends meanwhile', async (_what, ask) => {
  const owner = await acme.join('owner')
  const { id: keyId } = await organizationKey(acme)
  let asked: Promise<Reply> | undefined
  await service.deps.sql.begin(async (tx) => {
    await tx`delete from sessions where user_id = (select user_id from members where id = ${owner.memberId})`
    asked = ask(owner, keyId)
    await untilWaiting(service)
  })
  expect((await asked)?.status).toBe(401)
})
