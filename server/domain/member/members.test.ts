import { beforeAll, describe, expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { dump } from '../../testing/calls.ts'
import { linkTo, verifiedPerson } from '../../testing/mailed.ts'
import { admit, done, type Founded, found, newSlug } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
const acme = useMade(() => found(service))

const remove = (memberIdOrEmail: string, { owner, id }: Founded = acme) =>
  owner.post('/organization/remove-member', { memberIdOrEmail, organizationId: id })
const onlyOwner = { status: 400, body: { message: 'You cannot leave the organization as the only owner' } }

describe('a member', () => {
  it('is named by an address, whatever its case, or by an id', async () => {
    const [bob, carol] = [await acme.join('member'), await acme.join('member')]
    expect((await remove(bob.email.toUpperCase())).body.member).toMatchObject({
      id: bob.memberId,
      user: { email: bob.email },
    })
    expect((await remove(carol.memberId)).body.member).toMatchObject({ id: carol.memberId, userId: carol.userId })
    expect((await remove(carol.memberId)).body.message).toBe('Member not found')
  })

  it('is not named by an id with an address around it, a user id or a stranger’s address', async () => {
    const bob = await acme.join('member')
    const stranger = await verifiedPerson(service)
    for (const text of [`${bob.memberId}@`, `@${bob.memberId}`, bob.userId, stranger.email, '@', '', ` ${bob.email}`])
      expect((await remove(text)).body.message).toBe('Member not found')
  })

  it('that is given the role it has is changed by nobody', async () => {
    const bob = await acme.join('admin')
    const give = (role: string) =>
      done(
        acme.owner.post('/organization/update-member-role', { memberId: bob.memberId, role, organizationId: acme.id }),
      )
    const told = () => service.deps.sql`
      select from audit_events where event = 'role-changed' and user_id = ${bob.userId}
    `
    expect([(await give('admin')).role, (await told()).length]).toEqual(['admin', 0])
    expect([(await give('member')).role, (await told()).length]).toEqual(['member', 1])
  })

  it('that leaves or is removed leaves no row behind, and no organization active', async () => {
    const { id } = acme
    const [bob, carol] = [await acme.join('admin', acme.teamId ?? undefined), await acme.join('member')]
    expect((await bob.post('/organization/leave', { organizationId: id })).body).toMatchObject({
      user: { email: bob.email },
    })
    await done(remove(carol.email))
    const text = await dump(service)
    expect([text.includes(bob.memberId), text.includes(carol.memberId)]).toEqual([false, false])
    for (const person of [bob, carol])
      expect((await person.get('/get-session')).body.session.activeOrganizationId).toBeNull()
  })

  it('that leaves another organization keeps the active one', async () => {
    const other = await found(service)
    const bob = await other.join('member')
    await admit(service, bob.email, { organizationId: acme.id, role: 'member' })
    await done(bob.post('/organization/leave', { organizationId: acme.id }))
    expect((await bob.get('/get-session')).body.session.activeOrganizationId).toBe(other.id)
  })

  it('with an owner’s role among others is an owner', async () => {
    const firm = await found(service)
    const bob = await firm.join('member,owner')
    await done(firm.owner.post('/organization/leave', { organizationId: firm.id }))
    expect(await bob.post('/organization/leave', { organizationId: firm.id })).toMatchObject(onlyOwner)
    expect(await remove(bob.email, { ...firm, owner: bob })).toMatchObject(onlyOwner)
    const demotion = { memberId: bob.memberId, role: 'admin' }
    expect(await bob.post('/organization/update-member-role', demotion)).toMatchObject(onlyOwner)
    expect((await bob.post('/organization/update-member-role', { ...demotion, role: ['owner', 'admin'] })).status).toBe(
      200,
    )
  })
})

describe('an owner beside one who is banned', () => {
  /** Two owners, of whom one is banned until then, and a member. */
  async function beside(until: string | null) {
    const firm = await found(service)
    const banned = await firm.join('owner')
    await firm.join('member')
    await service.deps.sql`
      update users set banned = true, ban_expires = ${until}::timestamptz where id = ${banned.userId}
    `
    const demote = (memberId: string) =>
      firm.owner.post('/organization/update-member-role', { memberId, role: 'member', organizationId: firm.id })
    return { firm, banned, demote }
  }

  const waysOut: Record<string, (there: Awaited<ReturnType<typeof beside>>) => Promise<Reply>> = {
    leave: ({ firm }) => firm.owner.post('/organization/leave', { organizationId: firm.id }),
    'remove themself': ({ firm }) => remove(firm.owner.email, firm),
    'demote themself': ({ firm, demote }) => demote(firm.owner.memberId),
    'delete their user': ({ firm }) => firm.owner.post('/delete-user'),
  }

  it.each(Object.entries(waysOut))('may not %s', async (_what, leave) => {
    const there = await beside(null)
    expect(await leave(there)).toMatchObject(onlyOwner)
    expect((await there.firm.owner.get('/organization/list-members')).body.total).toBe(3)
  })

  it.each(Object.entries(waysOut))('may %s when the ban is over', async (_what, leave) => {
    expect((await leave(await beside('2001-01-01'))).status).toBe(200)
  })

  it('may demote and remove that one', async () => {
    const [first, second] = [await beside(null), await beside(null)]
    expect((await first.demote(first.banned.memberId)).status).toBe(200)
    const { status, body } = await remove(second.banned.email, second.firm)
    expect([status, Object.keys(body.member)]).toEqual([200, expect.not.arrayContaining(['isBanned'])])
    expect(await waysOut['leave']?.(second)).toMatchObject(onlyOwner)
  })

  it('stays one when an administrator removes the other user', async () => {
    const [root, { banned }] = [await adminOf(service), await beside(null)]
    expect((await root.post('/admin/remove-user', { userId: banned.userId })).status).toBe(200)
  })
})

describe('an organization of many members', () => {
  let big: Founded
  beforeAll(async () => {
    const large = await service.sibling({ MEMBERSHIP_LIMIT: '150' })
    big = await found(large)
    const prefix = newSlug()
    const { sql } = service.deps
    await sql`
      insert into users (id, name, email)
      select ${prefix} || lpad(n::text, 3, '0'), 'Bob', ${prefix} || n || '@example.com' from generate_series(1, 110) n
    `
    await sql`
      insert into members (id, organization_id, user_id) select id, ${big.id}, id from users where id like ${`${prefix}%`}
    `
  })

  it('knows its last member, who may act', async () => {
    const late = await big.join('admin')
    expect((await late.get('/organization/get-active-member')).body.id).toBe(late.memberId)
    const asked = { email: `dave-${newSlug()}@example.com`, role: 'member' }
    expect((await late.post('/organization/invite-member', asked)).status).toBe(200)
    expect((await late.post('/organization/create-team', { name: 'Late' })).status).toBe(200)
    expect((await remove(late.email, big)).status).toBe(200)
  })

  it('is listed whole up to the limit, and in pages', async () => {
    const page = async (query: string) => (await big.owner.get(`/organization/list-members?${query}`)).body
    const all = await page('')
    expect([all.members.length, all.total]).toEqual([111, 111])
    const [first, second, last, beyond] = [
      await page('limit=50'),
      await page('limit=50&offset=50'),
      await page('limit=50&offset=100'),
      await page('limit=50&offset=500'),
    ]
    expect([...first.members, ...second.members, ...last.members]).toEqual(all.members)
    expect(beyond).toEqual({ members: [], total: 111 })
    for (const odd of ['limit=x&offset=-1', 'limit=0', 'limit=1e9', 'limit=999999999', 'offset=0.5'])
      expect(await page(odd)).toEqual(all)
  })

  it('is listed up to the limit where that is smaller', async () => {
    const { body } = await big.owner.get('/organization/get-full-organization')
    expect(body.members).toHaveLength(111)
    const strict = service.copyOf(big.owner)
    expect((await strict.get('/organization/get-full-organization')).body.members).toHaveLength(100)
    expect((await strict.get('/organization/list-members?limit=200')).body.members).toHaveLength(100)
  })
})

describe('a user who is deleted', () => {
  it('is refused, and nothing changes, as the only owner of others', async () => {
    const firm = await found(service)
    await firm.join('admin')
    const before = await dump(service)
    expect(await firm.owner.post('/delete-user')).toMatchObject({ ...onlyOwner, setCookies: [] })
    expect(await dump(service)).toBe(before)
  })

  it('keeps the mailed token then, which works when the organization has another owner', async () => {
    const byMail = await service.sibling({ DELETE_USER_MODE: 'email' })
    const firm = await found(byMail)
    const bob = await firm.join('admin')
    await done(firm.owner.post('/delete-user'))
    const { token } = await linkTo(service, firm.owner.email, 'delete-account')
    expect(await firm.owner.post('/delete-user', { token })).toMatchObject(onlyOwner)
    expect(await firm.owner.get(`/delete-user/callback?token=${token}`)).toMatchObject(onlyOwner)
    const change = { memberId: bob.memberId, role: 'owner' }
    await done(firm.owner.post('/organization/update-member-role', change))
    expect(await firm.owner.post('/delete-user', { token })).toMatchObject({ status: 200 })
    expect((await bob.get('/organization/list-members')).body.total).toBe(1)
  })

  it('takes an organization along in which nobody else is', async () => {
    const firm = await found(service)
    await firm.invite(`dave-${newSlug()}@example.com`)
    await done(firm.owner.post('/delete-user'))
    const text = await dump(service)
    expect([text.includes(firm.id), text.includes(firm.owner.userId)]).toEqual([false, false])
  })

  it('leaves no membership, no invitation that they sent, and no name of theirs', async () => {
    const firm = await found(service)
    const bob = await firm.join('admin', firm.teamId ?? undefined)
    const asked = { email: `dave-${newSlug()}@example.com`, role: 'member' }
    const { id } = await done(bob.post('/organization/invite-member', asked))
    await done(bob.post('/delete-user'))
    const text = await dump(service)
    expect([bob.userId, bob.memberId, bob.email, id].filter((part) => text.includes(part))).toEqual([])
    expect((await firm.owner.get('/organization/get-full-organization')).body).toMatchObject({ invitations: [] })
  })

  it('may be one of two owners, and one of several kinds of member in several places', async () => {
    const [one, two, alone] = [await found(service), await found(service), await found(service)]
    const ann = alone.owner
    await admit(service, ann.email, { organizationId: one.id, role: 'owner' })
    await admit(service, ann.email, { organizationId: two.id, role: 'member' })
    await done(ann.post('/delete-user'))
    const rows = await service.deps.sql`select id from organizations where id = any(${[one.id, two.id, alone.id]})`
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([one.id, two.id]))
  })
})
