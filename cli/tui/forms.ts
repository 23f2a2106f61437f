import { confirmDeletion } from '../flows/account/confirm-deletion.ts'
import { deleteAccount } from '../flows/account/delete.ts'
import { editProfile } from '../flows/account/edit.ts'
import type { Me } from '../flows/account/me.ts'
import { signIn } from '../flows/auth/sign-in.ts'
import { signInWithToken } from '../flows/auth/sign-in-token.ts'
import { signUp } from '../flows/auth/sign-up.ts'
import { mailVerification } from '../flows/email/mail-verification.ts'
import { changeEmail } from '../flows/email/set.ts'
import { verifyEmail } from '../flows/email/verify.ts'
import type { Fields } from '../flows/field.ts'
import type { Flow } from '../flows/flow.ts'
import { type Form, formOf, type Texts } from '../flows/form.ts'
import { forgotPassword } from '../flows/password/forgot.ts'
import { resetPassword } from '../flows/password/reset.ts'
import { changePassword } from '../flows/password/set.ts'
import type { DeskState } from './desk.ts'

/** A form that is the same whoever is signed in. */
export const formFor =
  <F extends Fields, R extends object>(flow: Flow<undefined, F, unknown, R>) =>
  (given: Texts = {}): Form =>
    formOf(flow, { subjects: [undefined], given })

export const signInForm = formFor(signIn)
export const tokenForm = formFor(signInWithToken)
export const signUpForm = formFor(signUp)
export const forgotPasswordForm = formFor(forgotPassword)
export const verificationForm = formFor(verifyEmail)

/** The ways in, for who has no session here. */
export const waysIn: readonly (() => Form)[] = [
  signInForm,
  tokenForm,
  signUpForm,
  forgotPasswordForm,
  formFor(resetPassword),
  formFor(mailVerification),
  verificationForm,
]

/** A form about who is signed in. */
const ownForm =
  <F extends Fields, R extends object>(flow: Flow<Me, F, unknown, R>) =>
  ({ me, organizations }: DeskState): Form =>
    formOf(flow, { subjects: me ? [{ user: me.user, organizations }] : [] })

export const profileForm = ownForm(editProfile)
export const deletionForm = ownForm(deleteAccount)

/** What a person can do with their own account by a form, in the order of the screen. */
export const ownForms: readonly ((state: DeskState) => Form)[] = [
  profileForm,
  ownForm(changeEmail),
  () => verificationForm(),
  () => formFor(changePassword)(),
  deletionForm,
  ownForm(confirmDeletion),
]
