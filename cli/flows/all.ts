import { accountActivity } from './account/activity.ts'
import { confirmDeletion } from './account/confirm-deletion.ts'
import { deleteAccount } from './account/delete.ts'
import { editProfile } from './account/edit.ts'
import { banUser } from './admin/ban.ts'
import { createUser } from './admin/create.ts'
import { deleteUser } from './admin/delete.ts'
import { impersonateUser } from './admin/impersonate.ts'
import { userList } from './admin/list.ts'
import { revokeUserSession, revokeUserSessions } from './admin/revoke-sessions.ts'
import { rotateKeys } from './admin/rotate-keys.ts'
import { userSessionList } from './admin/sessions.ts'
import { setUserPassword } from './admin/set-password.ts'
import { setUserRoles } from './admin/set-roles.ts'
import { stopImpersonating } from './admin/stop-impersonating.ts'
import { unbanUser } from './admin/unban.ts'
import { auditList } from './audit/list.ts'
import { signIn } from './auth/sign-in.ts'
import { signInOnDevice } from './auth/sign-in-device.ts'
import { signInWithIdToken } from './auth/sign-in-id-token.ts'
import { signInAsMachine } from './auth/sign-in-oidc.ts'
import { signOut } from './auth/sign-out.ts'
import { signUp } from './auth/sign-up.ts'
import { mailVerification } from './email/mail-verification.ts'
import { changeEmail } from './email/set.ts'
import { verifyEmail } from './email/verify.ts'
import { acceptInvitation, rejectInvitation } from './invitation/answer.ts'
import { cancelInvitation } from './invitation/cancel.ts'
import { invite } from './invitation/create.ts'
import { invitationList } from './invitation/list.ts'
import { resendInvitation } from './invitation/resend.ts'
import { invitationView } from './invitation/view.ts'
import { adoptKey } from './key/adopt.ts'
import { createKey } from './key/create.ts'
import { createOwnKey } from './key/create-own.ts'
import { keyList, keyView } from './key/keys.ts'
import { revokeKey } from './key/revoke.ts'
import { rotateKey } from './key/rotate.ts'
import { linkList } from './link/accounts.ts'
import { addLink } from './link/add.ts'
import { refreshLink } from './link/refresh.ts'
import { removeLink } from './link/remove.ts'
import { memberList } from './member/list.ts'
import { ownMembership } from './member/me.ts'
import { removeMember } from './member/remove.ts'
import { setRoles } from './member/set-roles.ts'
import { organizationActivity } from './org/activity.ts'
import { slugCheck } from './org/check-slug.ts'
import { createOrganization } from './org/create.ts'
import { deleteOrganization } from './org/delete.ts'
import { editOrganization } from './org/edit.ts'
import { leaveOrganization } from './org/leave.ts'
import { organizationList } from './org/list.ts'
import { organizationSheet } from './org/sheet.ts'
import { switchOrganization } from './org/use.ts'
import { forgotPassword } from './password/forgot.ts'
import { resetPassword } from './password/reset.ts'
import { changePassword } from './password/set.ts'
import type { CommandSource } from './request-command.ts'
import { roleCheck } from './role/check.ts'
import { roleList } from './role/list.ts'
import { revokeAll, revokeOthers, revokeSession } from './session/revoke.ts'
import { sessionList } from './session/sessions.ts'
import { addTeamMember } from './team/add-member.ts'
import { createTeam } from './team/create.ts'
import { deleteTeam } from './team/delete.ts'
import { renameTeam } from './team/edit.ts'
import { teamMemberList } from './team/list-members.ts'
import { removeTeamMember } from './team/remove-member.ts'
import { teamList } from './team/teams.ts'
import { adoptTrust } from './trust/adopt.ts'
import { createTrust } from './trust/create.ts'
import { deleteTrust } from './trust/delete.ts'
import { trustList } from './trust/trusts.ts'

const look = (command: string, call: string): CommandSource => ({ command, call, fields: {} })

/** Everything that a request may have been made for, the likelier first. */
export const allFlows: readonly CommandSource[] = [
  signIn,
  signInOnDevice,
  signInWithIdToken,
  signInAsMachine,
  signUp,
  signOut,
  editProfile,
  changeEmail,
  mailVerification,
  verifyEmail,
  changePassword,
  forgotPassword,
  resetPassword,
  deleteAccount,
  confirmDeletion,
  linkList,
  addLink,
  removeLink,
  refreshLink,
  sessionList,
  revokeSession,
  revokeOthers,
  revokeAll,
  createOrganization,
  editOrganization,
  deleteOrganization,
  leaveOrganization,
  switchOrganization,
  memberList,
  ownMembership,
  removeMember,
  setRoles,
  invite,
  resendInvitation,
  acceptInvitation,
  rejectInvitation,
  cancelInvitation,
  teamList,
  createTeam,
  renameTeam,
  deleteTeam,
  teamMemberList,
  addTeamMember,
  removeTeamMember,
  createKey,
  createOwnKey,
  { ...keyList, isFor: ({ organizationId }) => organizationId !== undefined },
  look('key list --mine', '/key/list'),
  keyView,
  rotateKey,
  adoptKey,
  revokeKey,
  trustList,
  createTrust,
  adoptTrust,
  deleteTrust,
  accountActivity,
  organizationActivity,
  auditList,
  userList,
  createUser,
  deleteUser,
  banUser,
  unbanUser,
  setUserRoles,
  setUserPassword,
  impersonateUser,
  stopImpersonating,
  userSessionList,
  rotateKeys,
  revokeUserSession,
  revokeUserSessions,
  look('sign-in --resume TICKET', '/device/token'),
  look('whoami', '/get-session'),
  organizationList,
  organizationSheet,
  slugCheck,
  roleList,
  roleCheck,
  invitationList,
  invitationView,
  look('invitation list --mine', '/organization/list-user-invitations'),
]
