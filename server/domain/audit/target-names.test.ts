import { expect, it } from 'vitest'
import { adminOf } from '../../testing/admins.ts'
import { machine, organizationKey, ownKey } from '../../testing/machines.ts'
import { done, type Founded, found } from '../../testing/organizations.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Visitor } from '../../testing/visitor.ts'

const issuer = 'https://token.actions.githubusercontent.com'

const service = useTestService({ KEY_ISSUERS: issuer })
const admin = useMade(() => adminOf(service))

interface Event {
  readonly event: string
  readonly target: string
  readonly targetName: string | null
}

/** What each target is called, the newest event first. */
async function namesIn(visitor: Visitor, path: string, query: Record<string, string> = {}) {
  const asked = new URLSearchParams({ ...query, event: 'key-created,team-created,trust-created' })
  const { events }: { events: readonly Event[] } = await done(visitor.get(`/${path}?${asked.toString()}`))
  return events.map(({ event, targetName }) => [event, targetName])
}

async function named(acme: Founded) {
  await organizationKey(acme)
  await done(acme.owner.post('/organization/create-team', { name: 'Nightly', organizationId: acme.id }))
  const rule = { name: 'ci', organizationId: acme.id, issuer, claims: { repository: 'acme/app' }, role: 'member' }
  await done(acme.owner.post('/key/trust/create', rule))
}

const all = [
  ['trust-created', 'ci'],
  ['team-created', 'Nightly'],
  ['key-created', 'deploy'],
]

it('the trail calls what an event was about by its name, in every list of it', async () => {
  const acme = await found(service)
  await named(acme)
  expect(await namesIn(acme.owner, 'organization/list-activity', { organizationId: acme.id })).toEqual(all)
  expect(await namesIn(acme.owner, 'list-activity')).toEqual(all)
  expect(await namesIn(admin, 'admin/list-audit-events', { organizationId: acme.id })).toEqual(all)
})

it('a person’s own key has its name for them and for administrators, as long as it is there', async () => {
  const ann = await service.person()
  const key = await ownKey(ann)
  expect(await namesIn(ann, 'list-activity')).toEqual([['key-created', 'laptop']])
  const [{ id = '' } = {}] = await service.deps.sql`select id from users where email = ${ann.email}`
  expect(await namesIn(admin, 'admin/list-audit-events', { userId: id })).toEqual([['key-created', 'laptop']])
  await service.deps.sql`delete from machine_keys where id = ${key.id}`
  expect(await namesIn(ann, 'list-activity')).toEqual([['key-created', null]])
})

it('who is no member any more reads no names of the organization', async () => {
  const acme = await found(service)
  const bob = await acme.join('admin')
  const key = { name: 'nobody’s business', organizationId: acme.id, role: 'member' }
  await done(bob.post('/key/create', key))
  expect(await namesIn(bob, 'list-activity')).toEqual([['key-created', 'nobody’s business']])
  await done(bob.post('/organization/leave', { organizationId: acme.id }))
  expect(await namesIn(bob, 'list-activity')).toEqual([['key-created', null]])
})

interface Act {
  readonly actorName: string | null
  readonly userName: string | null
  readonly keyName: string | null
}

async function lastAct(visitor: Visitor, path: string): Promise<Act> {
  const { events } = await done(visitor.get(`/${path}`))
  const [{ actorName, userName, keyName }] = events
  return { actorName, userName, keyName }
}

it('names the key or trust rule that acted, and each user, for those who may see them', async () => {
  const acme = await found(service)
  const member = await acme.join('admin')
  const asMachine = machine(service, (await organizationKey(acme)).token)
  await done(asMachine.post('/organization/create-team', { name: 'Nightly', organizationId: acme.id }))
  const list = `organization/list-activity?organizationId=${acme.id}&event=team-created&limit=1`
  expect(await lastAct(member, list)).toEqual({ actorName: 'deploy', userName: 'deploy', keyName: 'deploy' })

  const own = machine(service, (await ownKey(acme.owner)).token)
  await done(own.post('/organization/create-team', { name: 'Weekly', organizationId: acme.id }))
  const { name } = (await acme.owner.get('/get-session')).body.user
  expect(await lastAct(acme.owner, list)).toMatchObject({ actorName: name, keyName: 'laptop' })
  expect(await lastAct(admin, `admin/list-audit-events?event=team-created&limit=1`)).toMatchObject({
    keyName: 'laptop',
  })
  // What a person calls their own key is theirs.
  expect(await lastAct(member, list)).toMatchObject({ actorName: name, keyName: null })
})
