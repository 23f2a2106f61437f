import { beforeEach, describe, expect, it } from 'vitest'
import { createSessionToken } from '../../crypto/token.ts'
import { adminOf } from '../../testing/admins.ts'
import { dump } from '../../testing/calls.ts'
import { untilWaiting } from '../../testing/locks.ts'
import { mailsTo, verifiedPerson } from '../../testing/mailed.ts'
import { done, type Founded, found, type Insider, type Person } from '../../testing/organizations.ts'
import { testPassword, limited as withMailLimits } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
let acme: Founded
let bob: Person
beforeEach(async () => {
  acme = await found(service)
  bob = await verifiedPerson(service)
})

const someone = () => `dave-${crypto.randomUUID()}@example.com`
const accept = (person: Person, invitationId: string) =>
  person.post('/organization/accept-invitation', { invitationId })
const reject = (person: Person, invitationId: string) =>
  person.post('/organization/reject-invitation', { invitationId })
const cancel = (person: Person, invitationId: string) =>
  person.post('/organization/cancel-invitation', { invitationId })
const read = (person: Person, id: string) => person.get(`/organization/get-invitation?id=${id}`)
const invite = (person: Person, fields: object) =>
  person.post('/organization/invite-member', { role: 'member', organizationId: acme.id, ...fields })
const isMember = async () =>
  (await acme.owner.get('/organization/list-members')).body.members.some(
    ({ user }: { user: { email: string } }) => user.email === bob.email,
  )
const statusOf = async (id: string) =>
  (await service.deps.sql<{ status: string }[]>`select status from invitations where id = ${id}`)[0]?.status

describe('an invitation', () => {
  it('is mailed with its id and its command, and read by its recipient', async () => {
    const id = await acme.invite(bob.email.toUpperCase(), 'admin,member')
    const [mail] = await mailsTo(service, bob.email, 'invitation')
    expect(mail?.text).toContain(`postern invitation accept ${id}`)
    const { body } = await read(bob, id)
    expect(body).toMatchObject({
      id,
      email: bob.email,
      role: 'admin,member',
      status: 'pending',
      organizationName: 'Acme',
      organizationSlug: acme.slug,
      inviterEmail: acme.owner.email,
    })
    expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(47.9 * 3_600_000)
    expect((await bob.get('/organization/list-user-invitations')).body).toEqual([body])
  })

  it('is not read for a token that nobody was given', async () => {
    const invitationId = await acme.invite(bob.email)
    const headers = { authorization: `Bearer ${createSessionToken()}` }
    const stranger = service.visitor()
    await service.deps.sql.begin(async (tx) => {
      await tx`lock table invitations in access exclusive mode`
      const replies = [
        await stranger.get(`/organization/get-invitation?id=${invitationId}`, headers),
        await stranger.post('/organization/accept-invitation', { invitationId }, headers),
        await stranger.post('/organization/reject-invitation', { invitationId }, headers),
      ]
      expect(replies.map(({ status }) => status)).toEqual([401, 401, 401])
    })
  })

  it('makes a member with its roles and team, once, and the organization active', async () => {
    const id = await acme.invite(bob.email, 'admin', { teamId: acme.teamId })
    const { body } = await accept(bob, id)
    expect(body).toMatchObject({
      invitation: { id, status: 'accepted' },
      member: { organizationId: acme.id, role: 'admin', teamId: acme.teamId },
    })
    expect((await bob.get('/organization/get-active-member')).body).toMatchObject({ id: body.member.id, role: 'admin' })
    expect(await accept(bob, id)).toMatchObject({ status: 400, body: { message: 'Invitation not found' } })
    expect(await reject(bob, id)).toMatchObject({ status: 400, body: { message: 'Invitation not found!' } })
  })

  it.each([
    ['rejected', (id: string) => reject(bob, id)],
    ['canceled', (id: string) => cancel(acme.owner, id)],
    ['pending', (id: string) => service.deps.sql`update invitations set expires_at = now() where id = ${id}`],
  ])('that is over (%s) is not there any more', async (status, end) => {
    const id = await acme.invite(bob.email)
    await end(id)
    for (const ask of [accept, reject, read]) expect((await ask(bob, id)).body.message).toMatch(/^Invitation not found/)
    expect([await statusOf(id), await isMember()]).toEqual([status, false])
    expect((await bob.get('/organization/list-user-invitations')).body).toEqual([])
    expect((await acme.owner.get(`/organization/list-invitations?status=${status}`)).body).toMatchObject([
      { id, status },
    ])
    expect((await invite(acme.owner, { email: bob.email })).status).toBe(200)
  })

  it('that was accepted may be canceled, and nobody joins or leaves by that', async () => {
    const id = await acme.invite(bob.email)
    await done(accept(bob, id))
    expect((await cancel(acme.owner, id)).body.status).toBe('canceled')
    expect([await isMember(), (await accept(bob, id)).status]).toEqual([true, 400])
  })

  it('to a member is refused, whatever the case of the address', async () => {
    await done(accept(bob, await acme.invite(bob.email)))
    expect((await invite(acme.owner, { email: bob.email.toUpperCase() })).body.message).toBe(
      'User is already a member of this organization',
    )
  })

  it('is resent under the same id, with the new role and a new life, and a second mail', async () => {
    const id = await acme.invite(bob.email)
    await service.deps.sql`update invitations set expires_at = now() + interval '1 h'`
    expect((await invite(acme.owner, { email: bob.email })).body.message).toBe(
      'User is already invited to this organization',
    )
    const { body } = await invite(acme.owner, { email: bob.email, role: 'admin', resend: true })
    expect(body).toMatchObject({ id, role: 'admin', status: 'pending' })
    expect(Date.parse(body.expiresAt) - Date.now()).toBeGreaterThan(47.9 * 3_600_000)
    expect(await mailsTo(service, bob.email, 'invitation')).toHaveLength(2)
    expect((await acme.owner.get('/organization/list-invitations')).body).toHaveLength(1)
  })

  it('is a new one when that which is resent ends in that moment', async () => {
    const id = await acme.invite(bob.email)
    let resent: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for update`
      resent = invite(acme.owner, { email: bob.email, resend: true })
      await untilWaiting(service)
      await tx`update invitations set status = 'canceled' where id = ${id}`
    })
    const reply = await resent
    expect([reply?.status, reply?.body.status, reply?.body.id === id]).toEqual([200, 'pending', false])
    expect(await statusOf(id)).toBe('canceled')
  })

  it.each([
    'bob',
    'bob@localhost',
    'a@b.co,c@d.co',
    '"a"@b.co',
    'a@b.co\r\nBcc: c@d.co',
    'bob＠example.com',
    'böb@example.com',
    ` ${'a'.repeat(250)}@example.com`,
  ])('to %j is no invitation', async (email) => {
    expect((await invite(acme.owner, { email })).body.message).toBe('Invalid email')
  })

  it('tells nobody whether its address has an account', async () => {
    const seen = async (email: string) => {
      service.statements.forget()
      const { status, body, headers, setCookies } = await invite(acme.owner, { email })
      const names = [...headers.keys()].toSorted()
      return { status, keys: Object.keys(body), role: body.role, names, setCookies, did: [...service.statements.list] }
    }
    const [known, unknown] = [await seen(bob.email), await seen(someone())]
    expect(known.status).toBe(200)
    expect(unknown).toEqual(known)
  })
})

describe('a mailbox that is not proven', () => {
  const required = {
    status: 403,
    body: { message: 'Email verification required before accepting or rejecting invitation' },
  }
  const claim = async () => {
    const email = someone()
    const id = await acme.invite(email)
    return { id, eve: await service.person({ email }) }
  }

  it('accepts, rejects, reads and lists nothing', async () => {
    const { id, eve } = await claim()
    const before = await dump(service)
    for (const ask of [accept, reject, read]) expect(await ask(eve, id)).toMatchObject(required)
    expect(await eve.get('/organization/list-user-invitations')).toMatchObject(required)
    expect(await dump(service)).toBe(before)
  })

  it('does all of it by the id where the settings say so, and is told no id', async () => {
    const lenient = await service.sibling({ INVITATION_REQUIRES_VERIFIED_EMAIL: 'off' })
    const { id, eve } = await claim()
    const there = lenient.visitor()
    await done(there.post('/sign-in/email', { email: eve.email, password: testPassword }))
    const listed = await there.get('/organization/list-user-invitations')
    expect([listed.status, listed.body.message, listed.text.includes(id)]).toEqual([403, required.body.message, false])
    expect((await there.get(`/organization/get-invitation?id=${id}`)).status).toBe(200)
    expect((await there.post('/organization/accept-invitation', { invitationId: id })).status).toBe(200)
    const other = await claim()
    const again = lenient.visitor()
    await done(again.post('/sign-in/email', { email: other.eve.email, password: testPassword }))
    expect((await again.post('/organization/reject-invitation', { invitationId: other.id })).status).toBe(200)
  })

  it('is told first that an invitation is somebody else’s', async () => {
    const id = await acme.invite(bob.email)
    const eve = await service.person()
    expect((await accept(eve, id)).body.message).toBe('You are not the recipient of the invitation')
  })
})

describe('an invitation does not outlive the right that it was given by', () => {
  let ann: Insider
  let id: string
  const sent = async (role: string, at: Founded = acme) => {
    ann = await at.join(role)
    id = (await done(invite(ann, { email: bob.email, role: role === 'owner' ? 'owner' : 'admin' }))).id
  }
  const gone = { status: 400, body: { message: 'Inviter is no longer a member of the organization' } }
  const demoted = { status: 400, body: { message: 'Inviter can no longer invite with this role' } }

  it('when the inviter leaves', async () => {
    await sent('admin')
    await done(ann.post('/organization/leave', { organizationId: acme.id }))
    expect(await accept(bob, id)).toMatchObject(gone)
    expect(await read(bob, id)).toMatchObject(gone)
    expect([await isMember(), await statusOf(id)]).toEqual([false, 'pending'])
  })

  it.each([
    ['owner', 'admin'],
    ['owner', 'member'],
    ['admin', 'member'],
  ])('when an inviter who was %s is %s', async (before, after) => {
    await sent(before)
    await done(
      acme.owner.post('/organization/update-member-role', {
        memberId: ann.memberId,
        role: after,
        organizationId: acme.id,
      }),
    )
    expect([await accept(bob, id), await isMember()]).toMatchObject([demoted, false])
  })

  it('when it is given again in that moment by somebody who has lost the right since', async () => {
    await sent('admin')
    const carl = await acme.join('member')
    let accepting: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for update`
      accepting = accept(bob, id)
      await untilWaiting(service)
      await tx`update invitations set roles = '{owner}', inviter_id = ${carl.userId} where id = ${id}`
    })
    expect([await accepting, await isMember()]).toMatchObject([demoted, false])
  })

  it('but joins with its new role when that was given again rightly', async () => {
    await sent('admin')
    let accepting: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for update`
      accepting = accept(bob, id)
      await untilWaiting(service)
      await tx`update invitations set roles = '{owner}', inviter_id = ${acme.owner.userId} where id = ${id}`
    })
    expect((await accepting)?.body).toMatchObject({ member: { role: 'owner' } })
  })

  it('when its role is gone from the config file', async () => {
    await sent('admin')
    await service.deps.sql`update invitations set roles = '{vanished}' where id = ${id}`
    expect([await accept(bob, id), await isMember()]).toMatchObject([demoted, false])
  })

  it('while the inviter is banned', async () => {
    const root = await adminOf(service)
    await sent('admin')
    await done(root.post('/admin/ban-user', { userId: ann.userId }))
    expect([await accept(bob, id), await read(bob, id), await isMember()]).toMatchObject([gone, gone, false])
    expect((await bob.get('/organization/list-user-invitations')).body).toMatchObject([{ id }])
    await done(root.post('/admin/unban-user', { userId: ann.userId }))
    expect((await accept(bob, id)).status).toBe(200)
  })

  it('but joins when the time of the ban is over', async () => {
    await sent('admin')
    await service.deps.sql`
      update users set banned = true, ban_expires = now() - interval '1 second' where id = ${ann.userId}
    `
    expect((await accept(bob, id)).body).toMatchObject({ member: { role: 'admin' } })
  })

  it('when the inviter is banned while the acceptance waits', async () => {
    const root = await adminOf(service)
    await sent('admin')
    let accepting: Promise<Reply> | undefined
    await service.deps.sql.begin(async (tx) => {
      await tx`select from organizations where id = ${acme.id} for update`
      accepting = accept(bob, id)
      await untilWaiting(service)
      await done(root.post('/admin/ban-user', { userId: ann.userId }))
    })
    expect([await accepting, await isMember()]).toMatchObject([gone, false])
  })

  it('when the inviter deletes their user it is gone', async () => {
    await sent('admin')
    await done(ann.post('/delete-user'))
    expect((await accept(bob, id)).body.message).toBe('Invitation not found')
  })

  it('but joins without its team when only that is gone', async () => {
    const { id: teamId } = await done(acme.owner.post('/organization/create-team', { name: 'Red' }))
    id = await acme.invite(bob.email, 'member', { teamId })
    await done(acme.owner.post('/organization/remove-team', { teamId }))
    expect((await accept(bob, id)).body).toMatchObject({ invitation: { teamId: null }, member: { teamId: null } })
  })
})

it('no more than the limit wait at once: one that waits can be sent again, and one that is over makes room', async () => {
  const few = await service.sibling({ INVITATION_LIMIT: '2' })
  const firm = await found(few)
  const again = someone()
  const [first] = [await firm.invite(someone()), await firm.invite(again)]
  const ask = (input = {}) =>
    firm.owner.post('/organization/invite-member', {
      email: someone(),
      role: 'member',
      organizationId: firm.id,
      ...input,
    })
  expect((await ask()).body.message).toBe('Invitation limit reached')
  expect((await ask({ email: again, resend: true })).status).toBe(200)
  await done(cancel(firm.owner, first))
  expect((await ask()).status).toBe(200)
  await service.deps.sql`update invitations set expires_at = now() where email = ${again}`
  expect((await ask()).status).toBe(200)
})

it('beyond the mailLimits of mails the answer stays the same, and no mail is sent', async () => {
  const limited = await service.sibling(withMailLimits)
  const firm = await found(limited)
  const ask = () =>
    firm.owner.post('/organization/invite-member', {
      email: bob.email,
      role: 'member',
      organizationId: firm.id,
      resend: true,
    })
  for (let time = 0; time < 5; time += 1) expect((await ask()).status).toBe(200)
  expect(await mailsTo(service, bob.email, 'invitation')).toHaveLength(3)
})
