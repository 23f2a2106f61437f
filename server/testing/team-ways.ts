import { type Askers, path, type Ways } from './organization-askers.ts'
import { found } from './organizations.ts'

/** How each listed failure of the calls about teams is reached. */
export const teamWays = ({ withSettings, as, alone, outside }: Askers): Ways => {
  const placed = (call: string) => ({
    TEAM_NOT_FOUND: () => outside((person, { teamId }) => person.post(path(call), { teamId, userId: 'x' })),
    TEAM_UPDATE_FORBIDDEN: () =>
      as('member', (person, { teamId }) => person.post(path(call), { teamId, userId: person.userId })),
    MEMBER_NOT_FOUND: () => as('owner', (owner, { teamId }) => owner.post(path(call), { teamId, userId: 'x' })),
  })
  return {
    createTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('create-team'), { name: 'Red' })),
      INVITATION_CREATE_FORBIDDEN: () =>
        outside((person, { id: organizationId }) => person.post(path('create-team'), { name: 'Red', organizationId })),
      TEAM_CREATE_FORBIDDEN: () => as('member', (person) => person.post(path('create-team'), { name: 'Red' })),
      TEAM_LIMIT_REACHED: async () => {
        const { owner } = await found(await withSettings({ MAXIMUM_TEAMS: '1' }))
        return owner.post(path('create-team'), { name: 'Red' })
      },
    },
    removeTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('remove-team'), { teamId: 'x' })),
      TEAM_NOT_YOURS_TO_DELETE: () => as('owner', (owner, { teamId }) => owner.post(path('remove-team'), { teamId })),
      TEAM_DELETE_FORBIDDEN: () => as('member', (person, { teamId }) => person.post(path('remove-team'), { teamId })),
      TEAM_NOT_FOUND: () => as('owner', (owner) => owner.post(path('remove-team'), { teamId: 'x' })),
      LAST_TEAM: () => as('admin', (person, { teamId }) => person.post(path('remove-team'), { teamId })),
    },
    updateTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('update-team'), { teamId: 'x', data: {} })),
      TEAM_UPDATE_FORBIDDEN: () =>
        as('member', (person, { teamId }) => person.post(path('update-team'), { teamId, data: {} })),
      TEAM_NOT_FOUND: () => as('owner', (owner) => owner.post(path('update-team'), { teamId: 'x', data: {} })),
    },
    listTeams: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('list-teams'))),
      TEAMS_NOT_YOURS: () => outside((person, { id }) => person.get(path(`list-teams?organizationId=${id}`))),
    },
    addTeamMember: {
      ...placed('add-team-member'),
      TEAM_FULL: async () => {
        const { teamId, join, owner } = await found(await withSettings({ MAXIMUM_MEMBERS_PER_TEAM: '1' }))
        return owner.post(path('add-team-member'), { teamId, userId: (await join('member')).userId })
      },
    },
    removeTeamMember: placed('remove-team-member'),
    listTeamMembers: {
      NO_ACTIVE_TEAM: () => alone((person) => person.get(path('list-team-members'))),
      TEAM_NOT_FOUND: () => outside((person, { teamId }) => person.get(path(`list-team-members?teamId=${teamId}`))),
    },
    setActiveTeam: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('set-active-team'), { teamId: 'x' })),
      TEAM_NOT_FOUND: () => as('owner', (owner) => owner.post(path('set-active-team'), { teamId: 'x' })),
      NOT_IN_TEAM: () => as('member', (person, { teamId }) => person.post(path('set-active-team'), { teamId })),
    },
    listUserTeams: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('list-user-teams?userId=x'))),
      NOT_YOUR_ORGANIZATION: () =>
        outside((person, { id }) => person.get(path(`list-user-teams?organizationId=${id}`))),
      MEMBER_UPDATE_FORBIDDEN: () =>
        as('member', (person, { owner }) => person.get(path(`list-user-teams?userId=${owner.userId}`))),
      NOT_A_MEMBER: () => as('owner', (owner) => owner.get(path('list-user-teams?userId=x'))),
    },
  }
}
