import type { FormPlan } from './form-plan.ts'
import type { FormName } from './keys.ts'
import { forgotPassword, mailVerification, resetPassword, verifyEmail } from './mail-forms.ts'
import { invite, memberRoles } from './organizations/member-forms.ts'
import { createOrganization, editOrganization } from './organizations/organization-forms.ts'
import { createTeam, renameTeam } from './organizations/team-forms.ts'
import { changeEmail, changePassword, confirmDeletion, deleteAccount, editProfile } from './own-forms.ts'
import { signIn, signInToken, signUp } from './sign-in-forms.ts'

export const forms: Readonly<Record<FormName, FormPlan>> = {
  'sign-in': signIn,
  'sign-in-token': signInToken,
  'sign-up': signUp,
  'forgot-password': forgotPassword,
  'reset-password': resetPassword,
  'mail-verification': mailVerification,
  'verify-email': verifyEmail,
  'edit-profile': editProfile,
  'change-email': changeEmail,
  'change-password': changePassword,
  'delete-account': deleteAccount,
  'confirm-deletion': confirmDeletion,
  'create-organization': createOrganization,
  'edit-organization': editOrganization,
  invite,
  'member-roles': memberRoles,
  'create-team': createTeam,
  'rename-team': renameTeam,
}

/** The ways in, for who has no session here. */
export const waysIn = [
  'sign-in',
  'sign-in-token',
  'sign-up',
  'forgot-password',
  'reset-password',
  'mail-verification',
  'verify-email',
] as const satisfies readonly FormName[]

/** What a person can do with their own account by a form, in the order of the screen. */
export const ownForms = [
  'edit-profile',
  'change-email',
  'verify-email',
  'change-password',
  'delete-account',
  'confirm-deletion',
] as const satisfies readonly FormName[]
