import { beforeAll, expect, it } from 'vitest'
import { found, type Insider } from '../../testing/organizations.ts'
import { race, steady, won } from '../../testing/races.ts'
import { enough, rounds } from '../../testing/rounds.ts'
import { keepRows } from '../../testing/rows.ts'
import { useMade, useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService()
let ann: Insider
let bob: Insider
let restore: () => Promise<void>
const other = useMade(() => service.sibling())
const acme = useMade(() => found(service))
beforeAll(async () => {
  ann = steady(acme.owner, service)
  bob = steady(await acme.join('owner,admin'), other)
  await acme.join('admin')
  restore = await keepRows(service)
})

/** What an owner does that may leave one owner less. */
const deeds = {
  leaves: (person: Insider) => person.post('/organization/leave', { organizationId: acme.id }),
  'removes the other one': (person: Insider) =>
    person.post('/organization/remove-member', { memberIdOrEmail: otherOf(person).memberId, organizationId: acme.id }),
  'removes themself': (person: Insider) =>
    person.post('/organization/remove-member', { memberIdOrEmail: person.email, organizationId: acme.id }),
  'demotes the other one': (person: Insider) => demote(person, otherOf(person)),
  'demotes themself': (person: Insider) => demote(person, person),
  'deletes their user': (person: Insider) => person.post('/delete-user'),
} satisfies Record<string, (person: Insider) => Promise<Reply>>

const otherOf = (person: Insider): Insider => (person.userId === ann.userId ? bob : ann)
const demote = (person: Insider, { memberId }: Insider) =>
  person.post('/organization/update-member-role', { memberId, role: 'member', organizationId: acme.id })

async function countOwners(): Promise<number> {
  const rows = await service.deps.sql`
    select from members where organization_id = ${acme.id} and 'owner' = any(roles)
  `
  return rows.length
}

type Deed = keyof typeof deeds
const names = Object.keys(deeds) as Deed[]
const pairs = names.flatMap((one, index) => names.slice(index).map((two): [Deed, Deed] => [one, two]))
/** The pairs share the rounds, so that more deeds do not take more time; but for the one that people really make. */
const each = Math.ceil((rounds * 4) / pairs.length)
const timesOf = (one: Deed, two: Deed): number => (one === 'leaves' && two === 'leaves' ? rounds : each)

it.each(pairs.map(([one, two]) => [one, two, timesOf(one, two)] as const))(
  'of two owners one %s and the other one %s, and one owner stays (%d times)',
  enough,
  async (one, two, times) => {
    for (let round = 0; round < times; round += 1) {
      await restore()
      const [first, second] = round % 2 === 0 ? [ann, bob] : [bob, ann]
      const replies = await race(
        () => deeds[one](first),
        () => deeds[two](second),
      )
      expect([one, two, won(replies) > 0, await countOwners()]).toEqual([one, two, true, 1])
    }
  },
)
