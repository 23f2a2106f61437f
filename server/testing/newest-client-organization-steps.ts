import { bob, type Step, step } from './newest-client-steps.ts'

export const organizationSteps: readonly Step[] = [
  step('organization.checkSlug', ({ slug }) => ({ slug })),
  step('organization.create', ({ slug }) => ({ name: 'Acme', slug, metadata: { plan: 'pro' } }), { keep: 'acme' }),
  step('organization.create', ({ slug }) => ({ name: 'Acme', slug }), { label: 'organization.create, a taken slug' }),
  step('organization.checkSlug', ({ slug }) => ({ slug }), { label: 'organization.checkSlug, a taken slug' }),
  step('organization.list'),
  step('organization.getOrganization', ({ acme }) => ({ query: { organizationId: acme.id } })),
  step('organization.getOrganization', ({ acme }) => ({ query: { organizationId: acme.id } }), {
    ...bob,
    label: 'organization.getOrganization, an outsider',
  }),
  step('organization.getFullOrganization'),
  step('organization.getFullOrganization', ({ acme }) => ({ query: { organizationId: acme.id } }), {
    ...bob,
    label: 'organization.getFullOrganization, an outsider',
  }),
  step('organization.setActive', ({ acme }) => ({ organizationId: acme.id })),
  step('organization.update', () => ({ data: { name: 'Ltd', metadata: { plan: 'free' } } })),
  step('organization.getActiveMember'),
  step('organization.getActiveMemberRole'),
  step('organization.createTeam', () => ({ name: 'Red' }), { keep: 'team' }),
  step('organization.updateTeam', ({ team }) => ({ teamId: team.id, data: { name: 'Blue' } })),
  step('organization.listTeams'),
  step('organization.listUserTeams'),
  step('organization.inviteMember', ({ emails, team }) => ({ email: emails.bob, role: 'member', teamId: team.id }), {
    keep: 'invitation',
  }),
  step('organization.inviteMember', ({ emails }) => ({ email: emails.bob, role: 'member' }), {
    label: 'organization.inviteMember, twice',
  }),
  step('organization.inviteMember', () => ({ email: 'cy@example.com', role: 'king' }), {
    label: 'organization.inviteMember, an unknown role',
  }),
  step('organization.listInvitations'),
  step('organization.getInvitation', ({ invitation }) => ({ query: { id: invitation.id } }), bob),
  step('organization.getInvitation', () => ({ query: { id: 'x' } }), {
    ...bob,
    label: 'organization.getInvitation, an unknown one',
  }),
  step('organization.listUserInvitations', undefined, bob),
  step('organization.acceptInvitation', ({ invitation }) => ({ invitationId: invitation.id }), {
    ...bob,
    keep: 'accepted',
  }),
  step('organization.acceptInvitation', ({ invitation }) => ({ invitationId: invitation.id }), {
    ...bob,
    label: 'organization.acceptInvitation, twice',
  }),
  step('organization.listInvitations', undefined, { label: 'organization.listInvitations, after an answer' }),
  step('organization.getFullOrganization', undefined, { label: 'organization.getFullOrganization, after an answer' }),
  step('organization.listMembers'),
  step(
    'organization.listMembers',
    () => ({
      query: {
        filterField: 'role',
        filterOperator: 'eq',
        filterValue: 'owner',
        sortBy: 'createdAt',
        sortDirection: 'desc',
      },
    }),
    { label: 'organization.listMembers, filtered and sorted' },
  ),
  step('organization.listMembers', ({ slug }) => ({ query: { organizationSlug: slug } }), {
    label: 'organization.listMembers, by slug',
  }),
  step('organization.listMembers', ({ acme }) => ({ query: { organizationId: acme.id } }), {
    who: 'device',
    label: 'organization.listMembers, signed out',
  }),
  step('organization.getActiveMemberRole', ({ bob: { user } }) => ({ query: { userId: user.id } }), {
    label: 'organization.getActiveMemberRole, of another member',
  }),
  step('organization.updateMemberRole', ({ accepted }) => ({ memberId: accepted.member.id, role: ['admin'] })),
  step('organization.updateMemberRole', ({ accepted }) => ({ memberId: accepted.member.id, role: 'king' }), {
    label: 'organization.updateMemberRole, an unknown role',
  }),
  step('organization.addTeamMember', ({ team, bob: { user } }) => ({ teamId: team.id, userId: user.id })),
  step('organization.listTeamMembers', ({ team }) => ({ query: { teamId: team.id } }), bob),
  step('organization.setActiveTeam', ({ team }) => ({ teamId: team.id }), bob),
  step('organization.setActiveTeam', () => ({ teamId: 'x' }), {
    ...bob,
    label: 'organization.setActiveTeam, an unknown one',
  }),
  step('organization.listTeamMembers', () => ({}), {
    ...bob,
    label: 'organization.listTeamMembers, of the active team',
  }),
  step('organization.listUserTeams', ({ bob: { user } }) => ({ query: { userId: user.id } }), {
    label: 'organization.listUserTeams, of another member',
  }),
  step('organization.removeTeamMember', ({ team, bob: { user } }) => ({ teamId: team.id, userId: user.id })),
  step('organization.hasPermission', () => ({ permissions: { team: ['create'] } })),
  step('organization.createRole', () => ({ role: 'editor', permission: { team: ['create'] } })),
  step('organization.createRole', () => ({ role: 'Editor', permission: {} }), {
    label: 'organization.createRole, a taken name',
  }),
  step('organization.createRole', () => ({ role: 'Admin', permission: {} }), {
    label: 'organization.createRole, a name of the service',
  }),
  step('organization.createRole', () => ({ role: 'payer', permission: { billing: ['pay'] } }), {
    label: 'organization.createRole, an unknown resource',
  }),
  step('organization.createRole', () => ({ role: 'sitter', permission: { team: ['watch'] } }), {
    label: 'organization.createRole, an unknown action',
  }),
  step('organization.listRoles'),
  step('organization.getRole', () => ({ query: { roleName: 'editor' } }), { keep: 'editor' }),
  step('organization.getRole', () => ({ query: { roleName: 'king' } }), {
    label: 'organization.getRole, an unknown one',
  }),
  step('organization.updateRole', () => ({ roleName: 'editor', data: { permission: { team: ['update'] } } })),
  step('organization.updateRole', ({ editor }) => ({ roleId: editor.id, data: { roleName: 'Writer' } }), {
    label: 'organization.updateRole, another name',
  }),
  step('organization.updateRole', () => ({ roleName: 'admin', data: { permission: {} } }), {
    label: 'organization.updateRole, one of the service',
  }),
  step('organization.updateMemberRole', ({ accepted }) => ({ memberId: accepted.member.id, role: 'writer' }), {
    label: 'organization.updateMemberRole, to an own role',
  }),
  step('organization.hasPermission', ({ acme }) => ({ organizationId: acme.id, permissions: { team: ['update'] } }), {
    ...bob,
    label: 'organization.hasPermission, by an own role',
  }),
  step('organization.createRole', ({ acme }) => ({ organizationId: acme.id, role: 'x', permission: {} }), {
    ...bob,
    label: 'organization.createRole, by a member',
  }),
  step('organization.deleteRole', () => ({ roleName: 'writer' }), { label: 'organization.deleteRole, while in use' }),
  step('organization.deleteRole', () => ({ roleName: 'owner' }), { label: 'organization.deleteRole, of the service' }),
  step('organization.updateMemberRole', ({ accepted }) => ({ memberId: accepted.member.id, role: 'member' }), {
    label: 'organization.updateMemberRole, from an own role',
  }),
  step('organization.deleteRole', () => ({ roleName: 'writer' })),
  step('organization.removeTeam', ({ team }) => ({ teamId: team.id })),
  step('organization.leave', ({ acme }) => ({ organizationId: acme.id }), {
    label: 'organization.leave, the only owner',
  }),
  step('organization.removeMember', ({ emails }) => ({ memberIdOrEmail: emails.bob })),
  step('organization.inviteMember', ({ emails }) => ({ email: emails.bob, role: 'member' }), {
    label: 'organization.inviteMember, to cancel',
    keep: 'second',
  }),
  step('organization.cancelInvitation', ({ second }) => ({ invitationId: second.id })),
  step('organization.inviteMember', ({ emails }) => ({ email: emails.bob, role: 'member' }), {
    label: 'organization.inviteMember, to reject',
    keep: 'third',
  }),
  step('organization.rejectInvitation', ({ third }) => ({ invitationId: third.id }), bob),
  step('organization.inviteMember', ({ emails }) => ({ email: emails.bob, role: 'member' }), {
    label: 'organization.inviteMember, to leave',
    keep: 'fourth',
  }),
  step('organization.acceptInvitation', ({ fourth }) => ({ invitationId: fourth.id }), {
    ...bob,
    label: 'organization.acceptInvitation, to leave',
  }),
  step('organization.leave', ({ acme }) => ({ organizationId: acme.id }), bob),
  step('organization.delete', ({ acme }) => ({ organizationId: acme.id })),
]
