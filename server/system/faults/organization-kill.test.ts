import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { type Outcome, postJson, startLoad, tell } from '../../testing/load.ts'
import { verifiedPerson } from '../../testing/mailed.ts'
import { newSlug } from '../../testing/organizations.ts'
import { type ServiceProcess, startProcess } from '../../testing/process.ts'
import { kills, timeFor } from '../../testing/rounds.ts'
import { useTestService } from '../../testing/use-service.ts'
import { cookieHeader } from '../../testing/visitor.ts'

const service = useTestService()
/** Cookies of people who work in pairs. */
let pairs: { ann: string; bob: string; bobEmail: string }[]
const running: ServiceProcess[] = []
beforeAll(async () => {
  pairs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const [ann, bob] = [await verifiedPerson(service), await verifiedPerson(service)]
      return { ann: cookieHeader(ann.cookies), bob: cookieHeader(bob.cookies), bobEmail: bob.email }
    }),
  )
})
afterEach(async () => {
  for (const started of running.splice(0)) await started.kill()
})

/** Organizations that a pair was told were made, and that they were told, or may have been told, were deleted. */
const made = new Set<string>()
const doomed = new Set<string>()

/** One round of two people: an organization is made, one more joins, it is deleted. Stops where nobody answers. */
async function live(url: string, { ann, bob, bobEmail }: (typeof pairs)[number]): Promise<Outcome> {
  const post = (cookie: string, call: string, body: object) => {
    const headers = { 'content-type': 'application/json', cookie }
    return tell(`${url}/organization/${call}`, { ...postJson(body), headers })
  }
  const created = await post(ann, 'create', { name: 'Acme', slug: newSlug() })
  if (created.status !== 200) return created
  const { id: organizationId } = created.body as { id: string }
  made.add(organizationId)
  const invited = await post(ann, 'invite-member', { email: bobEmail, role: 'owner', organizationId })
  if (invited.status !== 200) return invited
  const accepted = await post(bob, 'accept-invitation', { invitationId: (invited.body as { id: string }).id })
  if (accepted.status !== 200) return accepted
  doomed.add(organizationId)
  return post(bob, 'delete', { organizationId })
}

/** What must never be, whenever a process died. */
async function brokenRules(): Promise<unknown> {
  const [row] = await service.deps.sql`
    select
      (select count(*)::integer from organizations o where not exists (
        select from members m where m.organization_id = o.id and 'owner' = any(m.roles)
      )) as without_owner,
      (select count(*)::integer from organizations o where not exists (
        select from teams t where t.organization_id = o.id
      )) as without_team,
      (select count(*)::integer from invitations i join users u on u.email = i.email
        where (i.status = 'accepted') <> exists (
          select from members m where m.organization_id = i.organization_id and m.user_id = u.id
        )) as half_accepted,
      (select count(*)::integer from sessions s where s.active_organization_id is not null and not exists (
        select from members m where m.organization_id = s.active_organization_id and m.user_id = s.user_id
      )) as active_for_strangers,
      (select count(*)::integer from organizations o where not exists (
        select from audit_events e where e.organization_id = o.id and e.event = 'organization-created'
      )) as untold,
      (select count(*)::integer from audit_events e where e.event = 'organization-deleted' and exists (
        select from organizations o where o.id = e.organization_id
      )) as told_too_early,
      (select count(*)::integer from audit_events e where e.event = 'organization-created' and not exists (
        select from organizations o where o.id = e.organization_id
      ) and not exists (
        select from audit_events d where d.organization_id = e.organization_id and d.event = 'organization-deleted'
      )) as told_for_nothing
  `
  return { ...row }
}
const none = {
  withoutOwner: 0,
  withoutTeam: 0,
  halfAccepted: 0,
  activeForStrangers: 0,
  untold: 0,
  toldTooEarly: 0,
  toldForNothing: 0,
}

it(`a service killed ${kills} times while organizations come and go leaves none by halves`, {
  ...timeFor(kills, 20),
}, async () => {
  for (let round = 0; round < kills; round += 1) {
    const process = await startProcess(service.database)
    running.push(process)
    let turn = 0
    const load = startLoad(() => {
      turn += 1
      return live(process.url, pairs[turn % pairs.length]!)
    }, pairs.length)
    await expect.poll(() => load.outcomes.length).toBeGreaterThan(0)
    await sleep(20 + Math.random() * 150)
    await process.kill()
    await load.stop()
    expect(load.outcomes.filter(({ status }) => status !== 200 && status !== 0)).toEqual([])
    await expect.poll(connections).toBe(0)
    expect(await brokenRules()).toEqual(none)
  }
  const rows = await service.deps.sql<{ id: string }[]>`select id from organizations`
  const kept = new Set(rows.map(({ id }) => id))
  expect([...made].filter((id) => !kept.has(id) && !doomed.has(id))).toEqual([])
  expect(made.size).toBeGreaterThanOrEqual(kills)
})

/** What a killed process left behind in the server ends as soon as it notices. */
async function connections(): Promise<number> {
  const rows = await service.deps.sql`
    select from pg_stat_activity
    where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
  `
  return rows.length
}
