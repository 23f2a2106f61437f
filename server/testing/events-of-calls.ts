import type { Contract } from '../../shared/contract/index.ts'
import type { SecurityEvents } from '../request/security-events.ts'

export type EventName = keyof SecurityEvents

/** What each call tells when it succeeds as `answers` has it succeed. A call that is not here does not compile. */
export const ofCalls: { readonly [G in keyof Contract]: { readonly [C in keyof Contract[G]]: readonly EventName[] } } =
  {
    account: {
      signUpEmail: ['sign-up-done'],
      signInEmail: ['sign-in-done'],
      signOut: ['sign-out-done'],
      updateUser: [],
      deleteUser: ['account-deleted'],
      deleteUserCallback: ['account-deleted'],
    },
    email: {
      sendVerificationEmail: ['email-verification-asked'],
      verifyEmail: ['email-verified'],
      changeEmail: ['email-changed'],
    },
    password: {
      forgetPassword: ['password-reset-asked'],
      requestPasswordReset: ['password-reset-asked'],
      openResetLink: [],
      resetPassword: ['password-reset-done', 'sessions-revoked'],
      changePassword: ['password-changed', 'sessions-revoked'],
      setPassword: ['password-set'],
    },
    session: {
      getSession: [],
      listSessions: [],
      revokeSession: ['sessions-revoked'],
      revokeSessions: ['sessions-revoked'],
      revokeOtherSessions: ['sessions-revoked'],
    },
    organization: {
      create: ['organization-created'],
      checkSlug: [],
      update: [],
      remove: ['organization-deleted'],
      list: [],
      getFullOrganization: [],
      setActive: [],
      hasPermission: [],
      listRoles: [],
      addMember: ['member-added'],
    },
    member: {
      listMembers: [],
      getActiveMember: [],
      removeMember: ['member-removed'],
      updateMemberRole: ['role-changed'],
      leave: ['member-left'],
    },
    invitation: {
      inviteMember: ['invitation-sent'],
      acceptInvitation: ['invitation-accepted'],
      rejectInvitation: ['invitation-rejected'],
      cancelInvitation: ['invitation-canceled'],
      getInvitation: [],
      listInvitations: [],
      listUserInvitations: [],
    },
    team: {
      createTeam: [],
      removeTeam: [],
      updateTeam: [],
      listTeams: [],
      addTeamMember: [],
      removeTeamMember: [],
      listTeamMembers: [],
    },
    service: { ok: [], ready: [], error: [] },
  }

/** The whole catalogue. */
export const catalogue: Readonly<Record<EventName, true>> = {
  'sign-up-done': true,
  'sign-up-failed': true,
  'sign-in-done': true,
  'sign-in-failed': true,
  'sign-out-done': true,
  'password-proof-failed': true,
  'password-reset-asked': true,
  'password-reset-done': true,
  'password-changed': true,
  'password-set': true,
  'email-verification-asked': true,
  'email-verified': true,
  'email-change-asked': true,
  'email-change-agreed': true,
  'email-changed': true,
  'sessions-revoked': true,
  'account-deletion-asked': true,
  'account-deleted': true,
  'organization-created': true,
  'organization-deleted': true,
  'member-added': true,
  'member-removed': true,
  'member-left': true,
  'role-changed': true,
  'invitation-sent': true,
  'invitation-accepted': true,
  'invitation-rejected': true,
  'invitation-canceled': true,
  'request-throttled': true,
  'permission-refused': true,
}
