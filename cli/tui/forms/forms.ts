import type { SessionView } from '../../../shared/entities.ts'
import type { ListedOrganization } from '../../../shared/organization.ts'
import { confirmDeletion, deleteAccount } from '../../flows/account/deletion.ts'
import type { Me } from '../../flows/account/me.ts'
import { editProfile } from '../../flows/account/me.ts'
import { signIn } from '../../flows/auth/sign-in.ts'
import { signInOnDevice } from '../../flows/auth/sign-in-device.ts'
import { signInWithToken } from '../../flows/auth/sign-in-token.ts'
import { signUp } from '../../flows/auth/sign-up.ts'
import { changeEmail, mailVerification, verifyEmail } from '../../flows/email/addresses.ts'
import type { Fields } from '../../flows/field.ts'
import type { Flow, Form, Texts } from '../../flows/flow.ts'
import { formOf } from '../../flows/form.ts'
import { changePassword, forgotPassword, resetPassword } from '../../flows/password/passwords.ts'
import type { Offer } from '../text/shown-error.ts'

/** A form that does not depend on who is signed in. */
export const formFor =
  <S, F extends Fields, R extends object>(flow: Flow<S, F, unknown, R>, subject: S) =>
  (given: Texts = {}): Form =>
    formOf(flow, { subjects: [subject], given })

export const signInForm = formFor(signIn, undefined)
export const deviceForm = formFor(signInOnDevice, undefined)
export const tokenForm = formFor(signInWithToken, undefined)
export const signUpForm = formFor(signUp, undefined)
export const forgotPasswordForm = formFor(forgotPassword, undefined)
export const verificationForm = formFor(verifyEmail, undefined)

/** The form that fixes a failure. `given` holds the texts typed before it. */
export const offeredForm = (offer: Offer, given: Texts): Form =>
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
interface Known {
  readonly me: SessionView | null | undefined
  readonly organizations: readonly ListedOrganization[] | undefined
}

const meOf = ({ me, organizations }: Known): readonly Me[] => (me ? [{ user: me.user, organizations }] : [])

export const profileForm = (state: Known): Form => formOf(editProfile, { subjects: meOf(state) })
export const deletionForm = (state: Known): Form => formOf(deleteAccount, { subjects: meOf(state) })

/** The forms for the user's own account, in the order of the screen. */
export const accountForms: readonly ((state: Known) => Form)[] = [
  profileForm,
  (state) => formOf(changeEmail, { subjects: meOf(state) }),
  () => verificationForm(),
  (state) => formOf(changePassword, { subjects: meOf(state) }),
  deletionForm,
  (state) => formOf(confirmDeletion, { subjects: meOf(state) }),
]
