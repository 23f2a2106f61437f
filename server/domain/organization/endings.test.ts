import { expect, it } from 'vitest'
import { sendFormTo } from '../../pages/testing/forms.ts'
import type { Extensions } from '../../settings/extensions.ts'
import { adminOf } from '../../testing/admins.ts'
import { linkTo, userOf, withHooks } from '../../testing/mailed.ts'
import { type Founded, found } from '../../testing/organizations.ts'
import { type TestService, testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()

/** The account of an organization's only person is deleted: who does it, and how. */
const ways: Readonly<Record<string, (at: TestService, acme: Founded) => Promise<{ by: string | null; reply: Reply }>>> =
  {
    'their own deletion': async (_at, { owner }) => ({
      by: owner.userId,
      reply: await owner.post('/delete-user', { password: testPassword }),
    }),
    'the deletion by an administrator': async (at, { owner: { userId } }) => {
      const admin = await adminOf(at)
      const reply = await admin.post('/admin/remove-user', { userId })
      return { by: (await userOf(at, admin.email)).id, reply }
    },
    'the removal of a sign-up by the owner of the mailbox': async (at, { owner }) => {
      const { sql } = service.deps
      await sql`update users set email_verified = false where id = ${owner.userId}`
      await sql`
        update accounts set mailbox_proof = null, mailbox_proven_at = null, proven_email = null
        where user_id = ${owner.userId}
      `
      const visitor = at.visitor()
      await visitor.post('/send-verification-email', { email: owner.email })
      const { token } = await linkTo(service, owner.email, 'verify-email')
      return { by: null, reply: await sendFormTo('/page/verify-email', visitor, { token, action: 'remove' }) }
    },
  }

const endsOf = ({ id }: Founded) => service.deps.sql`
  select actor_id, user_id from audit_events where event = 'organization-deleted' and organization_id = ${id}
`

it.each(Object.keys(ways))('%s ends the organization, for the trail, the log and the hooks', async (way) => {
  const told: string[] = []
  const hooked = await withHooks(service, {
    beforeDeleteOrganization: ({ id }) => void told.push(`before ${id}`),
    afterDeleteOrganization: ({ id }) => void told.push(`after ${id}`),
  })
  const [acme, shared] = [await found(hooked), await found(hooked)]
  await service.deps.sql`
    insert into members (id, organization_id, user_id, roles)
    values (${crypto.randomUUID()}, ${shared.id}, ${acme.owner.userId}, '{member}')
  `
  const { by, reply } = await ways[way]!(hooked, acme)
  expect([200, 302, 303]).toContain(reply.status)
  expect([...(await endsOf(acme)), ...(await endsOf(shared))]).toEqual([
    { actorId: by, userId: by ?? acme.owner.userId },
  ])
  const lines = hooked.logged.filter(({ event }) => event === 'organization-deleted')
  expect(lines).toMatchObject([{ organizationId: acme.id }])
  expect(told).toEqual([`before ${acme.id}`, `after ${acme.id}`])
})

/** What deletes the account of an organization's only person comes to. */
async function deleting(hooks: Extensions) {
  const hooked = await withHooks(service, hooks)
  const acme = await found(hooked)
  const ask = () => acme.owner.post('/delete-user', { password: testPassword })
  return { acme, ask }
}

it('no organization ends of which the hook was not told', async () => {
  const told: string[] = []
  const { acme, ask } = await deleting({
    beforeDeleteOrganization: async ({ id }, { id: userId }) => {
      told.push(id)
      if (told.length > 1) return
      await service.deps.sql`
        with made as (insert into organizations (id, name, slug) values ('meanwhile', 'Meanwhile', 'meanwhile') returning id)
        insert into members (id, organization_id, user_id, roles) select 'meanwhile', id, ${userId}, '{owner}' from made
      `
    },
  })
  expect((await ask()).status).toBe(503)
  expect((await ask()).status).toBe(200)
  expect(told).toEqual([acme.id, ...[acme.id, 'meanwhile'].toSorted()])
})

it('the hook after an end is told also where there is none before', async () => {
  const told: string[] = []
  const { acme, ask } = await deleting({ afterDeleteOrganization: ({ id }) => void told.push(id) })
  expect([(await ask()).status, told]).toEqual([200, [acme.id]])
})

it('the hook after an end is not told of an organization that somebody else came to own meanwhile', async () => {
  const told: string[] = []
  const other = await userOf(service, (await service.person()).email)
  const { acme, ask } = await deleting({
    beforeDeleteOrganization: ({ id }) => service.deps.sql`
      insert into members (id, organization_id, user_id, roles) values (${id}, ${id}, ${other.id}, '{owner}')
    `,
    afterDeleteOrganization: ({ id }) => void told.push(id),
  })
  expect([(await ask()).status, told, await endsOf(acme)]).toEqual([200, [], []])
})

it('the mailed link is checked before the hook is run', async () => {
  const told: string[] = []
  const { acme } = await deleting({ beforeDeleteOrganization: ({ id }) => void told.push(id) })
  expect((await acme.owner.post('/delete-user', { token: 'no-such-token' })).status).toBe(404)
  expect(told).toEqual([])
})
