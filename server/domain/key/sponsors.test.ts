import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { adminOf, somebody } from '../../testing/admins.ts'
import { exchange, jobToken, trustFields } from '../../testing/key-answers.ts'
import { holder, keyAt, type MadeKey, machine, ownKey } from '../../testing/machines.ts'
import { startOpenIdProvider } from '../../testing/openid-provider.ts'
import { admit, done, type Founded, found, type Insider } from '../../testing/organizations.ts'
import { proveAddress } from '../../testing/prove-address.ts'
import { testPassword } from '../../testing/service.ts'
import { useMade, useStarted, useTestService } from '../../testing/use-service.ts'
import type { Reply, Visitor } from '../../testing/visitor.ts'

let acme: Founded
const provider = useStarted(startOpenIdProvider)
const service = useTestService(() => provider.settings('GOOGLE'))
const platform = useMade(() => adminOf(service))

/** Who made the machines, and the machines. */
let sponsor: Insider
let key: MadeKey
let rule: { readonly id: string; readonly userId: string }
let job: string
beforeEach(async () => {
  acme = await found(service)
  sponsor = await acme.join('admin')
  key = await done(sponsor.post('/key/create', { name: 'deploy', organizationId: acme.id, role: 'admin' }))
  const claims = { repository: `acme/${crypto.randomUUID()}` }
  rule = await done(sponsor.post('/key/trust/create', trustFields(acme, provider, { claims })))
  signIn = async () => exchange(service.visitor(), await jobToken(service, provider, claims), { trust: rule.id })
  job = (await done(signIn())).access_token
})
let signIn: () => Promise<Reply>

const createTeam = (visitor: Visitor) =>
  visitor.post('/organization/create-team', { name: crypto.randomUUID(), organizationId: acme.id })
const list = (visitor: Visitor) => visitor.get(`/organization/list-members?organizationId=${acme.id}`)
const setRole = (role: string) => {
  const { memberId } = sponsor
  return done(acme.owner.post('/organization/update-member-role', { memberId, role, organizationId: acme.id }))
}
const machines = () => [machine(service, key.token), machine(service, job)]

/** What the key and the session of the job are answered to a reading and to a writing call, and a new job at sign-in. */
async function answers(): Promise<readonly string[]> {
  const told: string[] = []
  for (const one of machines())
    for (const ask of [list, createTeam]) {
      const { status, body } = await ask(one)
      told.push(status === 200 ? 'done' : body.code)
    }
  const { status, body } = await signIn()
  return [...told, status === 200 ? 'done' : body.error_description]
}
const all = ['done', 'done', 'done', 'done', 'done']
const gone =
  'The person responsible for this trust rule is no longer an active member. An owner can take it over: postern key trust adopt RULE'
const nothing = ['SPONSOR_GONE', 'SPONSOR_GONE', 'SPONSOR_GONE', 'SPONSOR_GONE', gone]
const reading = ['done', 'SPONSOR_MAY_NOT', 'done', 'SPONSOR_MAY_NOT', 'done']

const remove = () =>
  done(acme.owner.post('/organization/remove-member', { memberIdOrEmail: sponsor.memberId, organizationId: acme.id }))
const ban = (fields: object = {}) => done(platform.post('/admin/ban-user', { userId: sponsor.userId, ...fields }))

const ends: readonly [string, () => Promise<unknown>, readonly string[]][] = [
  ['was removed', () => remove(), nothing],
  ['left', () => done(sponsor.post('/organization/leave', { organizationId: acme.id })), nothing],
  ['is banned', () => ban(), nothing],
  ['is banned for a while', () => ban({ banExpiresIn: 3600 }), nothing],
  ['was deleted', () => done(platform.post('/admin/remove-user', { userId: sponsor.userId })), nothing],
  ['deleted their account', () => done(sponsor.post('/delete-user', { password: testPassword })), nothing],
  ['is a mere member now', () => setRole('member'), reading],
]

describe('a machine whose sponsor', () => {
  it.each(ends)(
    '%s may do what is left of both, and everything again once an owner adopts it',
    async (_, end, left) => {
      expect(await answers()).toEqual(all)
      await end()
      expect(await answers()).toEqual(left)
      const authority = left === nothing ? 'none' : 'limited'
      expect(await keyAt(acme.owner, key.id)).toMatchObject({ authority, sponsorId: sponsor.userId })
      expect((await done(acme.owner.get(`/key/trust/list?organizationId=${acme.id}`)))[0]).toMatchObject({ authority })

      const mine = { authority: 'full', sponsorId: acme.owner.userId }
      expect(await done(acme.owner.post('/key/adopt', { keyId: key.id }))).toMatchObject(mine)
      expect(await done(acme.owner.post('/key/trust/adopt', { trustId: rule.id }))).toMatchObject(mine)
      expect(await answers()).toEqual(all)
    },
  )

  it('was banned until now, came back or is an admin again has its powers back', async () => {
    await ban({ banExpiresIn: 3600 })
    expect(await answers()).toEqual(nothing)
    await service.deps.sql`update users set ban_expires = now() where id = ${sponsor.userId}`
    expect(await answers()).toEqual(all)
    await setRole('member')
    await setRole('admin')
    expect(await answers()).toEqual(all)
    await remove()
    await admit(service, sponsor.email, { organizationId: acme.id, role: 'admin' })
    expect(await answers()).toEqual(all)
  })

  it('is gone is told so by whatever it asks, and what to do', async () => {
    await ban()
    for (const one of machines())
      for (const path of ['/get-session', '/organization/list', '/list-sessions'])
        expect(await one.get(path)).toMatchObject({
          status: 403,
          body: { code: 'SPONSOR_GONE', message: expect.stringContaining('postern key adopt KEY') },
        })
  })

  it('is gone has used up no token of a job, which is let in by it once an owner adopts the rule', async () => {
    const token = await jobToken(
      service,
      provider,
      (await done(acme.owner.get(`/key/trust/list?organizationId=${acme.id}`)))[0].claims,
    )
    const send = () => exchange(service.visitor(), token, { trust: rule.id })
    await remove()
    expect((await send()).body.error_description).toContain('postern key trust adopt')
    await done(acme.owner.post('/key/trust/adopt', { trustId: rule.id }))
    expect((await send()).status).toBe(200)
    expect((await send()).body.error_description).toBe('The token was refused')
  })

  it('is gone lets nobody in by its invitations', async () => {
    const guest = await somebody(service)
    await proveAddress(service.deps.sql, guest.email)
    const asked = { email: guest.email, role: 'member', organizationId: acme.id }
    const { id: invitationId } = await done(machine(service, key.token).post('/organization/invite-member', asked))
    await setRole('member')
    const accept = () => guest.post('/organization/accept-invitation', { invitationId })
    const refused = { status: 400, body: { message: 'Inviter can no longer invite with this role' } }
    expect(await accept()).toMatchObject(refused)
    await setRole('admin')
    expect((await accept()).status).toBe(200)
  })

  it('ends nobody’s own key: that ends with the ban, and sees no organization that its person left', async () => {
    const own = await ownKey(sponsor)
    const mine = machine(service, own.token)
    await done(sponsor.post('/organization/leave', { organizationId: acme.id }))
    expect([(await list(mine)).status, (await mine.get('/get-session')).body?.user.id]).toEqual([403, sponsor.userId])
    await ban()
    expect((await mine.get('/get-session')).body).toBeNull()
  })
})

describe('of permissions of the config file', () => {
  it('a machine has what its roles and its sponsor both allow, whatever roles those are called', async () => {
    const roles = {
      ...service.deps.config.roles,
      publisher: { post: ['write', 'publish'], member: ['create'] },
      writer: { post: ['write'] },
      reader: { post: ['read'], member: ['create'] },
    }
    const custom = await service.sibling()
    Object.assign(custom.deps.config, { roles })
    const set = (held: readonly string[]) =>
      service.deps.sql`update members set roles = ${held} where id = ${sponsor.memberId}`
    await service.deps.sql`update members set roles = '{publisher}' where user_id = ${key.userId}`
    const may = async (permissions: object) =>
      (
        await done(
          machine(custom, key.token).post('/organization/has-permission', { permissions, organizationId: acme.id }),
        )
      ).success
    const asked = [
      { post: ['write'] },
      { post: ['publish'] },
      { post: ['read'] },
      { post: ['write', 'publish'] },
      { post: ['write'], member: ['create'] },
    ]
    const told = async () => Promise.all(asked.map(may))
    await set(['publisher'])
    expect(await told()).toEqual([true, true, false, true, true])
    await set(['writer'])
    expect(await told()).toEqual([true, false, false, false, false])
    await set(['reader'])
    expect(await told()).toEqual([false, false, false, false, false])
    // Two roles of the sponsor together allow what one of the machine does.
    await set(['writer', 'reader'])
    expect(await told()).toEqual([true, false, false, false, true])
  })
})

describe('adopting', () => {
  const adopt = (person: Visitor) => person.post('/key/adopt', { keyId: key.id })
  const events = () => service.deps.sql`
    select event, actor_id, organization_id, target, details from audit_events
    where target in (${key.id}, ${rule.id}) and event in ('key-adopted', 'trust-adopted') order by created_at, id
  `

  it('is told once, with who was responsible before', async () => {
    const { owner, id: organizationId } = acme
    for (let time = 0; time < 2; time += 1) {
      await done(adopt(owner))
      await done(owner.post('/key/trust/adopt', { trustId: rule.id }))
    }
    const told = { actorId: owner.userId, organizationId, details: { from: sponsor.userId } }
    expect([...(await events())]).toEqual([
      { event: 'key-adopted', target: key.id, ...told },
      { event: 'trust-adopted', target: rule.id, ...told },
    ])
  })

  it('is for who might have made it: an admin, but no member, nobody with less, and no other machine', async () => {
    const [admin, member, stranger] = [await acme.join('admin'), await acme.join('member'), await found(service)]
    expect((await adopt(member)).body.code).toBe('KEY_NOT_FOUND')
    expect((await adopt(stranger.owner)).body.code).toBe('KEY_NOT_FOUND')
    expect((await adopt(machine(service, key.token))).body.code).toBe('MACHINE_KEYS_MAY_NOT_MAKE_THIS_CALL')
    expect((await adopt(admin)).body).toMatchObject({ sponsorId: expect.not.stringContaining(sponsor.userId) })
  })

  it('gives a machine nothing that the one who adopts it lacks', async () => {
    const visitor = await holder(service, acme, { member: ['create'] })
    expect((await adopt(visitor)).body.code).toBe(
      'YOU_CAN_ADOPT_ONLY_KEYS_AND_TRUST_RULES_THAT_YOU_COULD_CREATE_YOURSELF',
    )
    expect(await keyAt(acme.owner, key.id)).toMatchObject({ sponsorId: sponsor.userId })
  })

  it('is not done with a key of one’s own', async () => {
    const { id: keyId } = await ownKey(acme.owner)
    expect((await acme.owner.post('/key/adopt', { keyId })).status).toBe(403)
    expect(await keyAt(acme.owner, keyId)).toMatchObject({ sponsorId: null, sponsorName: null, authority: 'full' })
  })
})

describe('ending a machine', () => {
  const end = async (person: Visitor) => {
    const replies = [
      await person.post('/key/revoke', { keyId: key.id }),
      await person.post('/key/trust/delete', { trustId: rule.id }),
    ]
    return replies.map(({ status }) => status)
  }
  const both = (status: number) => [status, status]

  it('is for those who could remove its member: nobody ends a machine with more permissions than their own', async () => {
    const small = await holder(service, acme, { member: ['delete'] })
    const [member] = await service.deps.sql`select id from members where user_id = ${key.userId}`
    const removal = { memberIdOrEmail: member?.['id'], organizationId: acme.id }
    expect((await small.post('/organization/remove-member', removal)).status).toBe(401)
    expect(await end(small)).toEqual(both(403))
    expect(await answers()).toEqual(all)
    expect(await end(await acme.join('admin'))).toEqual(both(200))
  })

  it('is for the one who is responsible for it and sees it', async () => {
    const small = await holder(service, acme, { member: ['create'] })
    const { userId } = (await small.get('/get-session')).body.session
    await service.deps.sql`update users set sponsor_id = ${userId} where id in (${key.userId}, ${rule.userId})`
    expect(await end(small)).toEqual(both(200))
  })
})

describe('in the database', () => {
  it('a machine that a program from before makes has its maker as sponsor, and a person never has one', async () => {
    const { sql } = service.deps
    const [userId, keyId] = [crypto.randomUUID(), crypto.randomUUID()]
    await sql`insert into users (id, email, name, organization_id) values (${userId}, ${userId}, 'old', ${acme.id})`
    await sql`
      insert into machine_keys (id, name, user_id, organization_id, hint, created_by, expires_at)
      values (${keyId}, 'old', ${userId}, ${acme.id}, 'abcd', ${sponsor.userId}, now() + interval '1 day')
    `
    expect((await sql`select sponsor_id from users where id = ${userId}`)[0]).toEqual({ sponsorId: sponsor.userId })
    await expect(sql`update users set sponsor_id = ${userId} where id = ${sponsor.userId}`).rejects.toThrow(
      'users_sponsor_check',
    )
  })

  it('a machine from before the migration has its maker as sponsor', async () => {
    const { sql } = service.deps
    await sql.unsafe('drop function name_first_sponsor() cascade; alter table users drop column sponsor_id')
    const text = readFileSync(new URL('../../../migrations/0025_machine_sponsors.sql', import.meta.url), 'utf8')
    await sql.unsafe(text)
    expect(await answers()).toEqual(all)
    const rows = await sql`select sponsor_id from users where id in (${key.userId}, ${rule.userId}, ${sponsor.userId})`
    expect(new Set(rows.map(({ sponsorId }) => sponsorId))).toEqual(new Set([sponsor.userId, null]))
  })
})
