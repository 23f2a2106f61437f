import type { SessionView } from '../../../shared/entities.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import { confirmDeletion, deleteAccount } from '../../flows/account/deletion.ts'
import { type CurrentUser, editProfile } from '../../flows/account/me.ts'
import { signIn } from '../../flows/auth/sign-in.ts'
import { signInOnDevice } from '../../flows/auth/sign-in-device.ts'
import { signInWithToken } from '../../flows/auth/sign-in-token.ts'
import { signUp } from '../../flows/auth/sign-up.ts'
import { changeEmail, mailVerification, verifyEmail } from '../../flows/email/addresses.ts'
import type { Fields } from '../../flows/field.ts'
import type { FieldTexts, Flow, Form } from '../../flows/flow.ts'
import { formOf } from '../../flows/form.ts'
import { changePassword, forgotPassword, resetPassword } from '../../flows/password/passwords.ts'
import type { FormOffer } from '../text/shown-error.ts'

/** A form that does not depend on who is signed in. */
export const formFor =
  <S, F extends Fields, R extends object>(flow: Flow<S, F, unknown, R>, subject: S) =>
  (given: FieldTexts = {}): Form =>
    formOf(flow, { subjects: [subject], given })

export const signInForm = formFor(signIn, undefined)
export const deviceForm = formFor(signInOnDevice, undefined)
export const tokenForm = formFor(signInWithToken, undefined)
export const signUpForm = formFor(signUp, undefined)
export const forgotPasswordForm = formFor(forgotPassword, undefined)
export const verificationForm = formFor(verifyEmail, undefined)

/** The form that fixes a failure. `given` holds the texts typed before it. */
export const offeredForm = (offer: FormOffer, given: FieldTexts): Form =>
  offer.form === 'sign-in' ? signInForm({ email: offer.email, server: offer.server }) : verificationForm(given)

/** The sign-in and sign-up forms, for a user without a session. */
export const signInForms: readonly (() => Form)[] = [
  signInForm,
  deviceForm,
  tokenForm,
  signUpForm,
  forgotPasswordForm,
  formFor(resetPassword, {}),
  formFor(mailVerification, undefined),
  verificationForm,
]

/** The part of the app state that describes the user's account. */
interface AccountFacts {
  readonly me: SessionView | null | undefined
  readonly organizations: readonly ListedOrganization[] | undefined
}

const meOf = ({ me, organizations }: AccountFacts): readonly CurrentUser[] =>
  me ? [{ user: me.user, organizations }] : []

export const profileForm = (state: AccountFacts): Form => formOf(editProfile, { subjects: meOf(state) })
export const deletionForm = (state: AccountFacts): Form => formOf(deleteAccount, { subjects: meOf(state) })

/** The forms for the user's own account, in the order of the screen. */
export const accountForms: readonly ((state: AccountFacts) => Form)[] = [
  profileForm,
  (state) => formOf(changeEmail, { subjects: meOf(state) }),
  () => verificationForm(),
  (state) => formOf(changePassword, { subjects: meOf(state) }),
  deletionForm,
  (state) => formOf(confirmDeletion, { subjects: meOf(state) }),
]
