import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changes, done } from '../../../testing/planned.ts'
import type { CurrentOrganization, CurrentPerson } from './current.ts'
import { documentOf } from './export.ts'
import { personTeams } from './person-teams.ts'
import { newOrganization, plan } from './plan.ts'
import { OrganizationDocument } from './schema.ts'

const actor = 'ann@example.com'
const ownerRoles = ['owner']
const names = ['ann', 'bo', 'cy', 'dan', 'eve', 'flo', 'gus']
const teamNames = ['Art', 'Ops', 'Payments', 'Élan']
const rolesOf = fc.uniqueArray(fc.constantFrom('owner', 'admin', 'member'), { minLength: 1 })
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((value) => /\S/.test(value))
// Neither the service nor a document takes a key that reaches a prototype.
const metadataValue = fc.jsonValue({ maxDepth: 1 }).filter((value) => !JSON.stringify(value).includes('"__proto__":'))
const organizationOf = fc.record({
  name: text,
  slug: fc.constant('acme'),
  logo: fc.option(fc.webUrl()),
  metadata: fc.option(fc.dictionary(fc.constantFrom('plan', 'seats', 'x y'), metadataValue)),
  fields: fc.record({ country: text, seats: fc.integer() }),
})

/** Some people, some of them members, with teams of their own. */
const currents: fc.Arbitrary<CurrentOrganization> = fc
  .record({
    organization: organizationOf,
    teams: fc.subarray(teamNames),
    people: fc.subarray(names),
    joined: fc.subarray(names),
  })
  .chain(({ organization, teams, people, joined }) =>
    fc
      .tuple(...people.map(() => fc.record({ roles: rolesOf, team: fc.subarray(teams).map(personTeams) })))
      .map((facts): CurrentOrganization => {
        const all = people.map((name, at) => ({
          email: `${name}@example.com`,
          roles: ['member'],
          team: null,
          ...facts[at],
        }))
        const isMember = ({ email }: CurrentPerson) => joined.includes(email.split('@')[0] ?? '')
        return {
          organization,
          roles: [],
          teams,
          members: all.filter(isMember),
          invitations: all.filter((one) => !isMember(one)),
        }
      }),
  )

const accepted = ({ members, invitations, ...rest }: CurrentOrganization): CurrentOrganization => ({
  ...rest,
  members: [...members, ...invitations],
  invitations: [],
})

describe('for any two organizations', () => {
  it('what a plan made needs nothing more, also after everybody has accepted', () => {
    fc.assert(
      fc.property(currents, currents, fc.boolean(), (current, other, prune) => {
        const wanted = documentOf(other)
        const after = done(current, plan(current, wanted, { prune, actor, ownerRoles }))
        expect(changes(plan(after, wanted, { prune, actor, ownerRoles }))).toEqual([])
        expect(changes(plan(accepted(after), wanted, { prune, actor, ownerRoles }))).toEqual([])
      }),
    )
  })

  it('what a plan made with the rest removed is what the document says', () => {
    fc.assert(
      fc.property(currents, currents, (current, other) => {
        const wanted = documentOf(other)
        const after = done(current, plan(current, wanted, { prune: true, actor, ownerRoles }))
        expect(documentOf(accepted(after))).toEqual(documentOf(accepted(other)))
        expect(OrganizationDocument.parse(wanted)).toEqual(wanted)
      }),
    )
  })

  it('a new organization becomes what the document says', () => {
    fc.assert(
      fc.property(currents, (other) => {
        const wanted = documentOf({
          ...other,
          members: [
            ...other.members.filter(({ email }) => email !== actor),
            { email: actor, roles: ['owner'], team: null },
          ],
          invitations: other.invitations.filter(({ email }) => email !== actor),
        })
        const made = done(
          newOrganization(wanted, { actor, ownerRoles }),
          plan(null, wanted, { prune: false, actor, ownerRoles }),
        )
        expect(documentOf(accepted(made)).members).toEqual(
          [...(wanted.members ?? []), ...(wanted.invitations ?? [])].toSorted((a, b) => (a.email < b.email ? -1 : 1)),
        )
      }),
    )
  })

  it('nothing is removed without being told to, and the order is always the same', () => {
    fc.assert(
      fc.property(currents, currents, (current, other) => {
        const steps = plan(current, documentOf(other), { prune: false, actor, ownerRoles })
        expect(steps.filter(({ action }) => action === 'delete')).toEqual([])
        const turned = {
          ...current,
          members: current.members.toReversed(),
          invitations: current.invitations.toReversed(),
        }
        expect(plan(turned, documentOf(other), { prune: false, actor, ownerRoles })).toEqual(steps)
      }),
    )
  })
})
