import * as z from 'zod'
import { Member, MemberView, organizationId, pageFields, Team, title } from '../organization.ts'
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
  output: z.array(Team),
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

/** A member is in at most one team, and is moved out of any other. */
export const addTeamMember = call({
  ...placement,
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

export const listTeamMembers = call({
  method: 'GET',
  path: '/organization/list-team-members',
  summary: 'The members of a team',
  access: 'session',
  input: z.object({ teamId, ...pageFields }),
  output: z.array(MemberView),
  failures: ['TEAM_NOT_FOUND'],
  isHeavy: true,
  scope: 'read',
  repeats: { teamId: 'teamId' },
})
