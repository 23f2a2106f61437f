import * as z from 'zod'
import { ListedTeam, Member, MemberView, organizationId, pageFields, Team, title } from '../organization.ts'
import { call } from './call.ts'

const teamId = z.string()

export const createTeam = call({
  method: 'POST',
  path: '/organization/create-team',
  summary: 'Create a team in an organization',
  access: 'session',
  input: z.object({ name: title, organizationId }),
  output: Team,
  failures: ['NO_ACTIVE_ORGANIZATION', 'INVITATION_CREATE_FORBIDDEN', 'TEAM_CREATE_FORBIDDEN', 'TEAM_LIMIT_REACHED'],
  scope: 'team:create',
})

export const removeTeam = call({
  method: 'POST',
  path: '/organization/remove-team',
  summary: 'Remove a team; its members stay in the organization',
  access: 'session',
  input: z.object({ teamId, organizationId }),
  output: z.object({ message: z.string() }),
  failures: [
    'NO_ACTIVE_ORGANIZATION',
    'TEAM_NOT_YOURS_TO_DELETE',
    'TEAM_DELETE_FORBIDDEN',
    'TEAM_NOT_FOUND',
    'LAST_TEAM',
  ],
  scope: 'team:delete',
})

/** Only the name is changed. Other members of `data` are ignored. */
export const updateTeam = call({
  method: 'POST',
  path: '/organization/update-team',
  summary: 'Rename a team',
  access: 'session',
  input: z.object({ teamId, data: z.object({ name: title.optional(), organizationId }) }),
  output: Team,
  failures: ['NO_ACTIVE_ORGANIZATION', 'TEAM_UPDATE_FORBIDDEN', 'TEAM_NOT_FOUND'],
  scope: 'team:update',
  repeats: { teamId: 'id' },
})

export const listTeams = call({
  method: 'GET',
  path: '/organization/list-teams',
  summary: 'The teams of an organization',
  access: 'session',
  input: z.object({ organizationId, ...pageFields }),
  output: z.array(ListedTeam),
  failures: ['NO_ACTIVE_ORGANIZATION', 'TEAMS_NOT_YOURS'],
  isHeavy: true,
  scope: 'read',
})

const placement = {
  method: 'POST',
  access: 'session',
  input: z.object({ teamId, userId: z.string() }),
  output: Member,
  failures: ['TEAM_NOT_FOUND', 'TEAM_UPDATE_FORBIDDEN', 'MEMBER_NOT_FOUND'],
  scope: 'team:update',
} as const

/** A member can be in several teams. `teamId` of the answer is the named one. */
export const addTeamMember = call({
  ...placement,
  failures: [...placement.failures, 'TEAM_FULL'],
  path: '/organization/add-team-member',
  summary: 'Put a member of the organization into a team',
  repeats: { teamId: 'teamId', userId: 'userId' },
})

export const removeTeamMember = call({
  ...placement,
  output: Member.extend({ message: z.string().nullable() }),
  path: '/organization/remove-team-member',
  summary: 'Take a member out of a team',
  repeats: { userId: 'userId' },
})

/** `teamId` of each member is this team. */
export const listTeamMembers = call({
  method: 'GET',
  path: '/organization/list-team-members',
  summary: 'The members of a team, by default of the active one',
  access: 'session',
  input: z.object({ teamId: teamId.optional(), ...pageFields }),
  output: z.array(MemberView),
  failures: ['NO_ACTIVE_TEAM', 'TEAM_NOT_FOUND'],
  isHeavy: true,
  scope: 'read',
  repeats: { teamId: 'teamId' },
})

/** `null` leaves the active team. Without a `teamId`, the active one is chosen again. */
export const setActiveTeam = call({
  method: 'POST',
  path: '/organization/set-active-team',
  summary: 'Choose the active team of this session in its active organization, or none',
  access: 'session',
  input: z.object({ teamId: teamId.nullable().optional() }),
  output: Team.nullable(),
  failures: ['NO_ACTIVE_ORGANIZATION', 'TEAM_NOT_FOUND', 'NOT_IN_TEAM'],
  repeats: { teamId: 'id' },
})

/** Of the signed-in user in all organizations or one, or of another member in the named or the active organization. */
export const listUserTeams = call({
  method: 'GET',
  path: '/organization/list-user-teams',
  summary: 'The teams that a user is in',
  access: 'session',
  input: z.object({ userId: z.string().optional(), organizationId, ...pageFields }),
  output: z.array(ListedTeam),
  failures: ['NO_ACTIVE_ORGANIZATION', 'NOT_YOUR_ORGANIZATION', 'MEMBER_UPDATE_FORBIDDEN', 'NOT_A_MEMBER'],
  isHeavy: true,
  scope: 'read',
})
