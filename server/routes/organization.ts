import * as invitations from '../../shared/contract/invitation.ts'
import * as members from '../../shared/contract/member.ts'
import * as organizations from '../../shared/contract/organization.ts'
import * as roles from '../../shared/contract/role.ts'
import * as teams from '../../shared/contract/team.ts'
import type { Deps } from '../deps.ts'
import {
  acceptInvitation,
  cancelInvitation,
  getInvitation,
  listInvitations,
  listUserInvitations,
  readInvitation,
  rejectInvitation,
} from '../domain/invitation/invitations.ts'
import { inviteMember } from '../domain/invitation/invite-member.ts'
import { listMembers } from '../domain/member/list-members.ts'
import {
  addMember,
  getActiveMember,
  getActiveMemberRole,
  leaveOrganization,
  removeMember,
  updateMemberRole,
} from '../domain/member/members.ts'
import {
  addOrganization,
  chooseActiveOrganization,
  editOrganization,
  removeOrganization,
} from '../domain/organization/organizations.ts'
import { createRole, deleteRole, getRole, listRoles, updateRole } from '../domain/organization/own-roles.ts'
import {
  checkSlug,
  getFullOrganization,
  getOrganization,
  hasPermission,
  listOrganizationsOfUser,
} from '../domain/organization/read.ts'
import { chooseActiveTeam, listUserTeams } from '../domain/team/own-teams.ts'
import {
  addTeamMember,
  createTeam,
  listTeamMembers,
  listTeams,
  removeTeam,
  removeTeamMember,
  updateTeam,
} from '../domain/team/teams.ts'
import { type Mount, readFirst } from '../http/mount.ts'
import type { Reply } from '../http/reply.ts'
import type { ResolvedSession } from '../request/client.ts'
import { answerList, answerPart, passList } from './answer-list.ts'

/**
 * Removes the session that the client has cached, because its active organization or team may have changed. Machines
 * cache none.
 */
async function dropCachedSession<T>(resolved: ResolvedSession | null, reply: Reply, work: Promise<T>): Promise<T> {
  const answer = await work
  if (resolved && !resolved.caller.key) reply.clearCachedSession()
  return answer
}

/** Issues the session again after a choice, as the reference server does. The cached one is removed with it. */
async function reissueSession<T>(resolved: ResolvedSession | null, reply: Reply, work: Promise<T>): Promise<T> {
  const answer = await work
  if (resolved && !resolved.caller.key) reply.reissue(resolved)
  return answer
}

export function organizationRoutes(mount: Mount, deps: Deps): void {
  mountOrganizations(mount, deps)
  mountMembers(mount, deps)
  mountInvitations(mount, deps)
  mountRoles(mount, deps)
  // When teams are off, their calls do not exist.
  if (deps.config.TEAMS) mountTeams(mount, deps)
}

const mountOrganizations = (mount: Mount, deps: Deps) =>
  mount(organizations, {
    create: ({ client, caller, resolved, input, reply }) =>
      dropCachedSession(resolved, reply, addOrganization(deps, client, caller, input)),
    checkSlug: ({ input }) => checkSlug(deps, input),
    update: ({ client, caller, input }) => editOrganization(deps, client, caller, input),
    remove: ({ client, caller, resolved, input, reply }) =>
      dropCachedSession(resolved, reply, removeOrganization(deps, client, caller, input)),
    list: ({ caller, input, reply, freshness }) =>
      passList(reply, listOrganizationsOfUser(deps, caller, input, freshness)),
    getOrganization: ({ caller, input }) => getOrganization(deps, caller, input),
    getFullOrganization: ({ caller, input, freshness }) => getFullOrganization(deps, caller, input, freshness),
    setActive: ({ caller, resolved, input, reply }) =>
      reissueSession(resolved, reply, chooseActiveOrganization(deps, caller, input)),
    hasPermission: ({ caller, input }) => hasPermission(deps, caller, input),
    addMember: ({ client, caller, input }) => addMember(deps, client, caller, input),
  })

const mountMembers = (mount: Mount, deps: Deps) =>
  mount(members, {
    listMembers: ({ caller, input, reply, freshness }) =>
      answerPart(reply, listMembers(deps, caller, input, freshness)),
    getActiveMember: ({ caller }) => getActiveMember(deps, caller),
    getActiveMemberRole: ({ caller, input }) => getActiveMemberRole(deps, caller, input),
    removeMember: ({ client, caller, resolved, input, reply }) =>
      dropCachedSession(resolved, reply, removeMember(deps, client, caller, input)),
    updateMemberRole: ({ client, caller, input }) => updateMemberRole(deps, client, caller, input),
    leave: ({ client, caller, resolved, input, reply }) =>
      dropCachedSession(resolved, reply, leaveOrganization(deps, client, caller, input)),
  })

const mountInvitations = (mount: Mount, deps: Deps) =>
  mount(invitations, {
    inviteMember: ({ client, caller, input }) => inviteMember(deps, client, caller, input),
    acceptInvitation: readFirst(
      ({ invitationId }, sql) => readInvitation(deps, invitationId, sql),
      ({ client, caller, resolved, found, reply }) =>
        dropCachedSession(resolved, reply, acceptInvitation(deps, client, caller, found)),
    ),
    rejectInvitation: readFirst(
      ({ invitationId }, sql) => readInvitation(deps, invitationId, sql),
      ({ client, caller, found }) => rejectInvitation(deps, client, caller, found),
    ),
    cancelInvitation: ({ client, caller, input }) => cancelInvitation(deps, client, caller, input),
    getInvitation: readFirst(
      ({ id }, sql) => readInvitation(deps, id, sql),
      ({ caller, found }) => getInvitation(deps, caller, found),
    ),
    listInvitations: ({ caller, input, reply, freshness }) =>
      passList(reply, listInvitations(deps, caller, input, freshness)),
    listUserInvitations: ({ caller, input, reply, freshness }) =>
      passList(reply, listUserInvitations(deps, caller, input, freshness)),
  })

const mountRoles = (mount: Mount, deps: Deps) =>
  mount(roles, {
    listRoles: ({ caller, input }) => listRoles(deps, caller, input),
    getRole: ({ caller, input }) => getRole(deps, caller, input),
    createRole: ({ client, caller, input }) => createRole(deps, client, caller, input),
    updateRole: ({ client, caller, input }) => updateRole(deps, client, caller, input),
    deleteRole: ({ client, caller, input }) => deleteRole(deps, client, caller, input),
  })

const mountTeams = (mount: Mount, deps: Deps) =>
  mount(teams, {
    createTeam: ({ client, caller, input }) => createTeam(deps, client, caller, input),
    // Nobody deletes a team that they are in, so it is not the active one.
    removeTeam: ({ client, caller, input }) => removeTeam(deps, client, caller, input),
    updateTeam: ({ client, caller, input }) => updateTeam(deps, client, caller, input),
    listTeams: ({ caller, input, reply, freshness }) => answerList(reply, listTeams(deps, caller, input, freshness)),
    addTeamMember: ({ client, caller, input }) => addTeamMember(deps, client, caller, input),
    removeTeamMember: ({ client, caller, resolved, input, reply }) =>
      dropCachedSession(resolved, reply, removeTeamMember(deps, client, caller, input)),
    setActiveTeam: ({ caller, resolved, input, reply }) =>
      reissueSession(resolved, reply, chooseActiveTeam(deps, caller, input)),
    listUserTeams: ({ caller, input, reply, freshness }) =>
      answerList(reply, listUserTeams(deps, caller, input, freshness)),
    listTeamMembers: ({ caller, input, reply, freshness }) =>
      answerList(reply, listTeamMembers(deps, caller, input, freshness)),
  })
