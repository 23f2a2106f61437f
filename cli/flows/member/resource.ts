import type { MemberView } from '../../../shared/organization.ts'
import { countText } from '../../output/words.ts'
import { memberLine } from '../account/users.ts'
import { actionOf } from '../action.ts'
import { commandWith } from '../command-line.ts'
import { isBlockedWhileImpersonating } from '../flow.ts'
import { invite } from '../invitation/sent.ts'
import { withDistinctLabels } from '../option-labels.ts'
import { isOwner, type OrganizationView, scopeOf, teamIdsOf, whyNotChangeTeams, whyNotPermitted } from '../org/view.ts'
import { type Act, act, type Resource, type ScreenTarget } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { addTeamMember, removeTeamMember } from '../team/members.ts'
import { type ListedMember, memberFields, memberList, memberView, shownName, toListedMember } from './members.ts'
import { removeMember, removeMemberWith } from './remove.ts'
import { setRoles } from './set-roles.ts'
import { type UnseenView, unseenOpening, unseenPeriod, unseenTitle } from './unseen.ts'

type Chosen = readonly Pick<ListedMember, 'id'>[]

const membersIn = (chosen: Chosen, { organization }: OrganizationView): readonly MemberView[] =>
  withSameIds(organization.members, chosen)

const people = (chosen: Chosen, view: OrganizationView) =>
  membersIn(chosen, view).map((member) => ({
    member,
    isOwner: isOwner(view, member.role),
    org: view.organization.slug,
  }))

export const memberOpening = ({ id, name }: ListedMember, { organization }: OrganizationView): ScreenTarget => ({
  screen: 'member',
  subject: id,
  title: name,
  organizationId: organization.id,
})

/** Removing members, and what happens to the keys and trust rules that they are responsible for. */
const removing = (['revoke', 'adopt'] as const).map((fate) =>
  act(removeMemberWith(fate), {
    about: 'several',
    removes: true,
    subjects: (chosen: readonly ListedMember[], view: OrganizationView) =>
      people(chosen, view).map((one) => ({ ...one, fate })),
  }),
)

/** The teams that the selected members can be put into. */
const team: Act<ListedMember, OrganizationView> = {
  key: ['t', 'team', 'team'],
  about: 'several',
  offers: (chosen, view) => {
    const { teams, slug: org } = view.organization
    const [first] = chosen
    return [
      {
        kind: 'choice',
        label: 'Put into a team',
        title: `${chosen.length > 1 ? `${countText(chosen.length)} members` : (first?.name ?? 'Nobody')}: team`,
        isForOneself: isBlockedWhileImpersonating(addTeamMember),
        disabledReason:
          whyNotChangeTeams(view, 'team:update') ?? (teams?.length === 0 ? 'there is no team yet' : undefined),
        options: () =>
          withDistinctLabels(
            (teams ?? []).map((one) => {
              const subjects = membersIn(chosen, view).map((member) => ({ member, team: one, org }))
              return {
                id: one.id,
                label: one.name,
                offer: { kind: 'action' as const, action: actionOf(addTeamMember, subjects, view) },
              }
            }),
          ),
      },
    ]
  },
}

/** The teams that the selected members can be taken out of. */
const leavingTeam: Act<ListedMember, OrganizationView> = {
  about: 'several',
  offers: (chosen, view) => {
    const left = (view.organization.teams ?? []).flatMap((one) => {
      const inside = membersIn(chosen, view).filter((member) => teamIdsOf(member).includes(one.id))
      return inside.length > 0 ? [inside.map((member) => ({ member, team: one, org: view.organization.slug }))] : []
    })
    return left.map((subjects) => {
      const action = actionOf(removeTeamMember, subjects, view)
      const label = left.length > 1 ? `Take out of ${subjects[0]?.team.name}` : action.label
      return { kind: 'action', action: { ...action, label } }
    })
  },
}

const unseenCommand = ({ organization: { slug } }: OrganizationView): string =>
  commandWith(memberList, [], { given: { notSeen: unseenPeriod }, flags: ['--org', slug] })

/** Leads to those who were not seen lately. */
const unseen: Act<ListedMember, OrganizationView> = {
  about: 'place',
  offers: (_, view) => [
    {
      kind: 'look',
      label: unseenTitle,
      command: unseenCommand(view),
      opens: unseenOpening(view.organization.id),
      disabledReason: whyNotPermitted(view, 'member:delete'),
    },
  ],
}

export const members: Resource<ListedMember, OrganizationView> = {
  noun: 'member',
  fields: memberFields,
  list: ({ organization }) => ['name', 'email', 'roles', ...(organization.teams ? ['teamIds'] : []), 'createdAt'],
  detail: ['email', 'machine', 'roles', 'may', 'teamIds', 'createdAt', 'userId', 'id'],
  id: ({ id }) => id,
  label: shownName,
  line: memberLine,
  searched: (one) => `${memberLine(one)} ${one.roles.join(', ')}`,
  tone: ({ id }, { self }) => (id === self?.id ? 'good' : 'plain'),
  of: ({ organization }) => organization.members.map(toListedMember),
  empty: 'Nobody',
  acts: [
    act(setRoles, { key: ['r', 'role', 'role'], about: 'several', subjects: people }),
    team,
    leavingTeam,
    act(removeMember, { key: ['D', 'remove', 'remove'], about: 'several', removes: true, subjects: people }),
    ...removing,
    unseen,
    act(invite, { key: ['c', 'create', 'invite'], about: 'place', subjects: (_, view) => [scopeOf(view)] }),
  ],
  command: (one, { organization: { slug } }) =>
    commandWith(memberView, [], { given: { user: one?.email }, flags: ['--org', slug] }),
  own: memberOpening,
}

/** Only who was not seen lately. */
export const unseenMembers: Resource<ListedMember, UnseenView> = {
  ...members,
  of: ({ organization, unseen: found }) => withSameIds(organization.members, found).map(toListedMember),
  empty: 'Everybody was seen lately.',
  acts: members.acts.filter(({ about }) => about !== 'place'),
  command: (one, view) => (one ? members.command(one, view) : unseenCommand(view)),
}
