import { accountActivity } from './account/activity.ts'
import { confirmDeletion, deleteAccount } from './account/deletion.ts'
import { editProfile } from './account/me.ts'
import { editUser } from './admin/edit.ts'
import { impersonateUser, stopImpersonating } from './admin/impersonate.ts'
import { userList } from './admin/list.ts'
import { exportCalls } from './admin/person-data.ts'
import { rotateKeys } from './admin/rotate-keys.ts'
import { revokeUserSession, revokeUserSessions, userSessionList } from './admin/sessions.ts'
import { unlockUser, userView } from './admin/supported-user.ts'
import { banUser, createUser, deleteUser, setUserPassword, setUserRoles, unbanUser } from './admin/user-acts.ts'
import { auditList } from './audit/list.ts'
import { signIn } from './auth/sign-in.ts'
import { signInOnDevice } from './auth/sign-in-device.ts'
import { signInWithIdToken } from './auth/sign-in-id-token.ts'
import { signInAsMachine } from './auth/sign-in-oidc.ts'
import { signOut } from './auth/sign-out.ts'
import { signUp } from './auth/sign-up.ts'
import { changeEmail, mailVerification, verifyEmail } from './email/addresses.ts'
import { acceptInvitation, rejectInvitation } from './invitation/answer.ts'
import { invitationList, invitationView } from './invitation/list.ts'
import { cancelInvitation, invite, resendInvitation } from './invitation/sent.ts'
import { keyList, keyView } from './key/keys.ts'
import { createKey, createOwnKey, rotateKey } from './key/new-key.ts'
import { adoptKey, revokeKey } from './key/revoke.ts'
import { linkList, refreshLink, removeLink } from './link/accounts.ts'
import { addLink } from './link/add.ts'
import { mailList, releaseMails, resendMail } from './mail/mails.ts'
import { memberList, ownMembership } from './member/members.ts'
import { removeMember } from './member/remove.ts'
import { setRoles } from './member/set-roles.ts'
import { organizationActivity } from './org/activity.ts'
import { createOrganization, editOrganization, slugCheck } from './org/create.ts'
import { organizationList, organizationSheet } from './org/list.ts'
import { deleteOrganization, leaveOrganization, switchOrganization } from './org/own-acts.ts'
import { changePassword, forgotPassword, resetPassword } from './password/passwords.ts'
import type { CommandSource } from './request-command.ts'
import { roleCheck } from './role/check.ts'
import { createRole, deleteRole, editRole } from './role/edit.ts'
import { roleList } from './role/roles.ts'
import { editSession } from './session/edit.ts'
import { revokeAll, revokeOthers, revokeSession } from './session/revoke.ts'
import { sessionList } from './session/sessions.ts'
import { addTeamMember, removeTeamMember, teamMemberList } from './team/members.ts'
import { createTeam, deleteTeam, renameTeam, teamList, useTeam } from './team/teams.ts'
import { createTrustRule } from './trust/create.ts'
import { adoptTrustRule, deleteTrustRule, trustList } from './trust/trusts.ts'
import { deleteWebhook, editWebhook, resumeWebhook } from './webhook/acts.ts'
import { createWebhook, rotateWebhook } from './webhook/new-webhook.ts'
import { pauseWebhook, unpauseWebhook } from './webhook/pause.ts'
import { testWebhook } from './webhook/send-sample.ts'
import { webhookList, webhookView } from './webhook/webhooks.ts'

const look = (command: string, call: string): CommandSource => ({ command, call, fields: {} })

/** Every flow and list that could have made a request, most likely first. */
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
  editSession,
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
  useTeam,
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
  { ...webhookList, isFor: ({ organizationId }) => organizationId !== undefined },
  look('webhook list --platform', '/webhook/list'),
  webhookView,
  createWebhook,
  pauseWebhook,
  unpauseWebhook,
  editWebhook,
  rotateWebhook,
  resumeWebhook,
  testWebhook,
  deleteWebhook,
  trustList,
  createTrustRule,
  adoptTrustRule,
  deleteTrustRule,
  accountActivity,
  organizationActivity,
  auditList,
  userList,
  createUser,
  deleteUser,
  editUser,
  banUser,
  unbanUser,
  unlockUser,
  userView,
  mailList,
  resendMail,
  releaseMails,
  setUserRoles,
  setUserPassword,
  impersonateUser,
  stopImpersonating,
  userSessionList,
  rotateKeys,
  revokeUserSession,
  revokeUserSessions,
  look('sign-in --resume TICKET', '/device/token'),
  look('account link add --resume TICKET', '/device/link/status'),
  look('whoami', '/get-session'),
  look('account export', exportCalls.account),
  look('admin user export USER', exportCalls.user),
  organizationList,
  organizationSheet,
  slugCheck,
  roleList,
  createRole,
  editRole,
  deleteRole,
  roleCheck,
  invitationList,
  invitationView,
  look('invitation list --mine', '/organization/list-user-invitations'),
]
