import { describe, expect, it } from 'vitest'
import { exitCodes } from '../../../../shared/exit-codes.ts'
import { organizationRoles } from '../../../../shared/permissions.ts'
import { changes, done } from '../../../testing/planned.ts'
import { checkPossible } from './check.ts'
import type { CurrentOrganization, CurrentPerson } from './current.ts'
import { documentOf } from './export.ts'
import { plan } from './plan.ts'
import type { OrganizationDocument } from './schema.ts'

const actor = 'ann@example.com'
const ownerRoles = ['owner']
const person = (name: string, roles: string[] = ['member'], team: string | null = null): CurrentPerson => ({
  email: `${name}@example.com`,
  roles,
  team,
})
const acme: CurrentOrganization = {
  organization: {
    name: 'Acme',
    slug: 'acme',
    logo: null,
    metadata: { plan: 'pro' },
    fields: { country: 'CH', taxNumber: null },
  },
  roles: [],
  teams: ['Ops', 'Payments'],
  members: [person('ann', ['owner']), person('bo', ['admin', 'member'], 'Ops'), person('cy')],
  invitations: [person('dan', ['member'], 'Payments')],
}
const same = documentOf(acme)
const planned = (wanted: OrganizationDocument, prune = false) =>
  changes(plan(acme, wanted, { prune, actor, ownerRoles }))
const entry = (name: string, roles = ['member'], team?: string) => ({
  email: `${name}@example.com`,
  roles,
  ...(team && { team }),
})

describe('a plan', () => {
  it('is nothing for what is so already, in whatever order it is written', () => {
    expect(planned(same, true)).toEqual([])
    const turned = {
      ...same,
      teams: same.teams?.toReversed(),
      members: same.members?.map((one) => ({ ...one, roles: one.roles.toReversed() })).toReversed(),
    } as OrganizationDocument
    expect(planned(turned, true)).toEqual([])
    expect(plan(acme, same, { prune: true, actor, ownerRoles })).toHaveLength(7)
  })

  const people = { members: [entry('ann', ['owner']), entry('bo', ['admin', 'member'], 'Ops'), entry('cy')] }
  it.each<[string, Partial<OrganizationDocument>, boolean, string[]]>([
    ['another name', { organization: { name: 'Acme 2', slug: 'acme' } }, false, ['organization acme update']],
    [
      'no metadata',
      { organization: { name: 'Acme', slug: 'acme', metadata: null } },
      false,
      ['organization acme update'],
    ],
    ['nothing about metadata', { organization: { name: 'Acme', slug: 'acme' } }, false, []],
    ['a team more', { teams: [...(same.teams ?? []), { name: 'Art' }] }, false, ['team Art create']],
    [
      'other roles',
      { members: [...people.members.slice(0, 2), entry('cy', ['admin'])] },
      false,
      ['member cy@example.com update'],
    ],
    [
      'another team',
      { members: [entry('bo', ['admin', 'member'], 'Payments')] },
      false,
      ['member bo@example.com update'],
    ],
    [
      'several teams',
      { members: [{ ...entry('bo', ['admin', 'member']), team: ['Payments', 'Ops'] }] },
      false,
      ['member bo@example.com update'],
    ],
    ['out of the team', { members: [entry('bo', ['admin', 'member'])] }, false, ['member bo@example.com update']],
    ['somebody new', { members: [...people.members, entry('eve')] }, false, ['invitation eve@example.com invite']],
    ['an invited one as a member', { members: [entry('dan', ['member'], 'Payments')], invitations: [] }, false, []],
    ['a member as an invited one', { members: [], invitations: [entry('cy')] }, false, []],
    [
      'other roles for an invited one',
      { invitations: [entry('dan', ['admin'], 'Payments')] },
      false,
      ['invitation dan@example.com resend'],
    ],
    ['another team for an invited one', { invitations: [entry('dan')] }, false, ['invitation dan@example.com resend']],
    ['fewer people', { members: [entry('ann', ['owner'])], invitations: [] }, false, []],
    [
      'fewer people, the others to go',
      { members: [entry('ann', ['owner'])], invitations: [] },
      true,
      ['invitation dan@example.com delete', 'member bo@example.com delete', 'member cy@example.com delete'],
    ],
    [
      'fewer teams, the others to go',
      { teams: [{ name: 'Ops' }], invitations: [entry('dan')] },
      true,
      ['invitation dan@example.com resend', 'team Payments delete'],
    ],
  ])('with %s', (_, part, prune, expected) => {
    expect(planned({ ...same, ...part }, prune)).toEqual(expected)
  })

  it('takes the rights of its applier away last, and only then the roles that this frees', () => {
    const role = (name: string) => ({ name, permissions: [] })
    const current = { ...acme, roles: ['auditor', 'editor'].map(role), members: [person('ann', ['owner', 'editor'])] }
    const wanted = { ...same, roles: [], teams: undefined, members: [entry('ann', ['owner'])] }
    expect(changes(plan(current, wanted, { prune: true, actor, ownerRoles }))).toEqual([
      'role auditor delete',
      'member ann@example.com update',
      'role editor delete',
    ])
  })

  it('narrows the roles of its applier among the last steps, and what they give up while it still counts', () => {
    const role = (name: string, ...permissions: string[]) => ({ name, permissions })
    const current = {
      ...acme,
      roles: [role('a', 'ac:update', 'team:create'), role('b', 'team:create'), role('c', 'team:create'), role('d')],
      members: [person('ann', ['a', 'b', 'c', 'd']), person('bo')],
    }
    const roles = [role('a'), role('b', 'team:update'), role('c'), role('d', 'team:create')]
    const wanted = { ...same, roles, members: [entry('ann', ['a', 'b', 'd']), entry('bo', ['admin'])] }
    expect(changes(plan(current, wanted, { prune: false, actor, ownerRoles }))).toEqual([
      'role d update',
      'member bo@example.com update',
      'role c update',
      'member ann@example.com update',
      'role b update',
      'role a update',
    ])
  })

  it('leaves alone, and never removes, what sections are about that the document has not', () => {
    const { organization } = same
    expect(planned({ organization }, true)).toEqual([])
    expect(planned({ organization, members: [entry('ann', ['owner'])] }, true)).toEqual([
      'member bo@example.com delete',
      'member cy@example.com delete',
    ])
    const members = [entry('ann', ['owner']), entry('bo', ['admin', 'member']), entry('cy')]
    expect(planned({ organization, members }, true)).toEqual([])
    const step = plan(
      acme,
      { organization, invitations: [entry('dan', ['admin'])] },
      { prune: false, actor, ownerRoles },
    ).at(-1)
    expect(step).toMatchObject({ action: 'resend', team: 'Payments' })
  })

  describe('with a renamed team', () => {
    const renamed = {
      ...same,
      teams: [{ name: 'Billing', renamedFrom: 'Payments' }, { name: 'Ops' }],
      invitations: [entry('dan', ['member'], 'Billing')],
    }

    it('keeps its people, and needs nothing more once it is done', () => {
      expect(planned(renamed, true)).toEqual(['team Billing rename'])
      const after = done(acme, plan(acme, renamed, { prune: true, actor, ownerRoles }))
      expect(changes(plan(after, renamed, { prune: true, actor, ownerRoles }))).toEqual([])
    })

    it('creates one where there is neither, also by the name of one that was renamed', () => {
      expect(planned({ ...same, teams: [...(same.teams ?? []), { name: 'New', renamedFrom: 'Old' }] })).toEqual([
        'team New create',
      ])
    })
  })

  it('takes back, with what else goes, an invitation to somebody who is a member by now', () => {
    const current = { ...acme, invitations: [person('cy', ['admin'])] }
    expect(documentOf(current).invitations).toEqual([])
    expect(changes(plan(current, { ...same, invitations: [] }, { prune: false, actor, ownerRoles }))).toEqual([])
    expect(changes(plan(current, { ...same, invitations: [] }, { prune: true, actor, ownerRoles }))).toEqual([
      'invitation cy@example.com delete',
    ])
  })

  it('makes owners first, and ends with what takes rights from who applies it', () => {
    const wanted = { ...same, members: [entry('ann'), entry('bo'), entry('cy', ['owner'])], teams: [{ name: 'Art' }] }
    expect(planned({ ...wanted, invitations: [] }, true)).toEqual([
      'team Art create',
      'member cy@example.com update',
      'member bo@example.com update',
      'invitation dan@example.com delete',
      'team Ops delete',
      'team Payments delete',
      'member ann@example.com update',
    ])
    const gone = { ...same, members: [entry('bo', ['owner'], 'Ops')] }
    expect(planned(gone, true).at(-1)).toBe('member ann@example.com delete')
  })

  it('makes an organization that is not there, with everybody but its creator invited', () => {
    expect(changes(plan(null, same, { prune: false, actor, ownerRoles }))).toEqual([
      'organization acme create',
      'team Ops create',
      'team Payments create',
      'member ann@example.com update',
      'invitation bo@example.com invite',
      'invitation cy@example.com invite',
      'invitation dan@example.com invite',
    ])
  })
})

describe('a document is refused before anything is done', () => {
  const roles = ['owner', 'admin', 'member']
  const checked = (wanted: OrganizationDocument, current: CurrentOrganization | null, prune = false, known = roles) => {
    try {
      checkPossible(current, wanted, {
        prune,
        actor,
        serviceRoles: known,
        ownerRoles: known.includes('owner') ? ownerRoles : [],
        machines: [{ name: 'nightly', roles: ['deployer'] }],
        allowed: { owner: organizationRoles['owner'] ?? {} },
      })
      return undefined
    } catch (error) {
      return Reflect.get(Object(error), 'exitCode')
    }
  }

  it('when it leaves no owner', () => {
    const demoted = { ...same, members: [entry('ann', ['admin']), entry('dan', ['owner'])] }
    expect(checked(demoted, acme)).toBe(exitCodes.conflict)
    expect(checked({ ...same, members: [entry('bo')] }, acme)).toBeUndefined()
    expect(checked({ ...same, members: [entry('bo')] }, acme, true)).toBe(exitCodes.conflict)
    expect(checked({ ...same, members: [entry('bo', ['owner'])] }, acme, true)).toBeUndefined()
    expect(checked(demoted, null)).toBe(exitCodes.conflict)
    expect(checked({ ...same, members: [entry('bo', ['owner'])] }, null, true)).toBe(exitCodes.conflict)
    expect(checked({ organization: same.organization }, acme, true)).toBeUndefined()
  })

  it('when it gives roles that nobody knows', () => {
    expect(checked({ ...same, members: [entry('ann', ['owner', 'king'])] }, acme)).toBe(exitCodes.rejected)
    const odd = { ...acme, members: [person('ann', ['owner']), person('bo', ['king'])] }
    expect(checked({ ...same, members: [entry('bo', ['king'])] }, odd)).toBeUndefined()
    const king = { ...same, members: [entry('ann', ['king'])] }
    expect(checked(king, acme)).toBe(exitCodes.rejected)
    expect(checked(king, acme, false, ['king'])).toBeUndefined()
  })

  it('when it removes a role that its applier has until they leave, or that a machine keeps', () => {
    const role = (name: string) => ({ name, permissions: [] })
    const members = [person('ann', ['owner', 'editor']), person('bo', ['owner', 'auditor'])]
    const current = { ...acme, roles: ['auditor', 'deployer', 'editor'].map(role), members }
    const wanted = (...roles: string[]) => ({ ...same, roles: roles.map(role), members: [entry('bo', ['owner'])] })
    expect(checked(wanted('deployer', 'editor'), current, true)).toBeUndefined()
    expect(checked(wanted('deployer'), current, true)).toBe(exitCodes.conflict)
    expect(checked(wanted('editor'), current, true)).toBe(exitCodes.conflict)
    expect(checked(wanted(), current)).toBeUndefined()
  })

  it('when it removes a role that the invitation of somebody who has joined still names', () => {
    const current = { ...acme, roles: [{ name: 'editor', permissions: [] }], invitations: [person('cy', ['editor'])] }
    const { invitations: _, ...withoutInvitations } = { ...same, roles: [] }
    expect(checked(withoutInvitations, current, true)).toBe(exitCodes.conflict)
    expect(checked({ ...withoutInvitations, invitations: [] }, current, true)).toBeUndefined()
    const other = { ...current, invitations: [person('gus', ['editor'])] }
    expect(checked({ ...withoutInvitations, invitations: [entry('gus')] }, other, true)).toBeUndefined()
  })

  it('when a team has its old name and its new one', () => {
    const both = { ...same, teams: [{ name: 'Ops', renamedFrom: 'Payments' }], invitations: [entry('dan')] }
    expect(checked(both, acme)).toBe(exitCodes.conflict)
    expect(checked(both, { ...acme, teams: ['Ops'] })).toBeUndefined()
  })

  it('when it lists teams and the service has none', () => {
    const withoutTeams = { ...acme, teams: null, members: acme.members.map((one) => ({ ...one, team: null })) }
    expect(checked(same, withoutTeams)).toBe(exitCodes.rejected)
    expect(documentOf(withoutTeams)).not.toHaveProperty('teams')
    expect(checked(documentOf(withoutTeams), withoutTeams)).toBeUndefined()
  })
})

describe('fields that the application added', () => {
  const withFields = (fields: NonNullable<OrganizationDocument['organization']['fields']>): OrganizationDocument => ({
    ...same,
    organization: { ...same.organization, fields },
  })
  const changeOf = (wanted: OrganizationDocument) => {
    const [step] = plan(acme, wanted, { prune: true, actor, ownerRoles })
    return step?.kind === 'organization' ? step.change : undefined
  }

  it('are exported with their values', () => {
    expect(same.organization.fields).toEqual({ country: 'CH' })
    expect(documentOf({ ...acme, organization: { ...acme.organization, fields: {} } }).organization).not.toHaveProperty(
      'fields',
    )
  })

  it('change only where the document says something else', () => {
    expect(changeOf(withFields({}))).toEqual({})
    expect(changeOf(withFields({ country: 'CH', taxNumber: null }))).toEqual({})
    expect(changeOf(withFields({ country: null, taxNumber: 'CHE-1', seats: null }))).toEqual({
      fields: { country: null, taxNumber: 'CHE-1' },
    })
  })
})
