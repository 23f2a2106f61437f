import * as z from 'zod'
import { FullUser, profileFields } from '../entities.ts'
import { passwordRules } from '../errors.ts'
import { OrganizationName } from '../organization.ts'
import { ownFieldKinds } from '../own-field-kinds.ts'
import { ownFieldsInput } from '../own-fields.ts'
import { PersonData } from '../person-data.ts'
import { done, success } from './answers.ts'
import { call } from './call.ts'

const credentials = { email: z.string(), password: z.string(), callbackURL: z.string().optional() }

/**
 * Signs the new user in at once, unless the settings say otherwise. Then `token` is null. Without `language`, the one
 * that Accept-Language asks for is kept, unless it is that of the service anyway. `rememberMe` is ignored: clients of
 * better-auth may send it.
 */
export const signUpEmail = call({
  method: 'POST',
  path: '/sign-up/email',
  summary: 'Create an account with an email address and a password',
  access: 'anyone',
  input: z.object({
    ...credentials,
    name: profileFields.name,
    image: profileFields.image.optional(),
    language: profileFields.language.optional(),
    rememberMe: z.unknown().optional(),
    ...ownFieldsInput({ of: 'user', write: 'create', by: 'person' }),
  }),
  output: z.object({ token: z.string().nullable(), user: FullUser }),
  failures: ['SIGN_UP_OFF', 'INVALID_EMAIL', ...passwordRules, 'USER_EXISTS'],
  refreshesSession: true,
  takesLabel: true,
  repeats: { email: 'user.email' },
})

/** Gives the same answer for an unknown address and a wrong password. */
export const signInEmail = call({
  method: 'POST',
  path: '/sign-in/email',
  summary: 'Sign in with an email address and a password',
  access: 'anyone',
  input: z.object({ ...credentials, rememberMe: z.boolean().optional() }),
  output: z.object({ redirect: z.boolean(), token: z.string(), url: z.string().optional(), user: FullUser }),
  failures: [
    'EMAIL_PASSWORD_OFF',
    'INVALID_EMAIL',
    'WRONG_EMAIL_OR_PASSWORD',
    'EMAIL_NOT_VERIFIED',
    'BANNED_USER',
    'SESSION_NOT_CREATED_AT_SIGN_IN',
  ],
  refreshesSession: true,
  takesLabel: true,
  repeats: { email: 'user.email' },
})

/** Clears the cookies even when their session has ended already. */
export const signOut = call({
  method: 'POST',
  path: '/sign-out',
  summary: 'End the current session',
  access: 'anyone',
  readsSession: true,
  input: z.object({}),
  output: success,
  failures: ['NO_SESSION_TO_END'],
  refreshesSession: true,
})

/** An `email` is refused. Other members are own fields; a service without own fields ignores them. */
export const updateUser = call({
  method: 'POST',
  path: '/update-user',
  summary: 'Change the name, the image or the language of the signed-in user',
  access: 'session',
  input: z.object({
    name: profileFields.name.optional(),
    image: profileFields.image.nullable().optional(),
    language: profileFields.language.nullable().optional(),
    email: z.unknown().optional(),
    ...ownFieldsInput({ of: 'user', write: 'update', by: 'person' }),
  }),
  output: done,
  failures: ['EMAIL_NOT_EDITABLE'],
  refreshesSession: true,
})

/** `organizations`: those without another member, which were deleted too. */
const deleted = z.object({
  success: z.boolean(),
  message: z.string(),
  organizations: z.array(OrganizationName).optional(),
})

/** A password, a fresh session or a mailed token proves that the user asks. */
export const deleteUser = call({
  method: 'POST',
  path: '/delete-user',
  summary: 'Delete the signed-in user, or ask for the mail that confirms it',
  access: 'session',
  input: z.object({
    password: z.string().optional(),
    token: z.string().optional(),
    callbackURL: z.string().optional(),
  }),
  output: deleted,
  failures: [
    'DELETE_USER_OFF',
    'CREDENTIAL_ACCOUNT_NOT_FOUND',
    'WRONG_PASSWORD',
    'SESSION_TOO_OLD',
    'DELETE_TOKEN_INVALID',
    'ONLY_OWNER',
    'LAST_ADMIN',
  ],
  isHooked: true,
  refreshesSession: true,
})

/** Requires the session of the user for whom the token was made. */
export const deleteUserCallback = call({
  method: 'GET',
  path: '/delete-user/callback',
  summary: 'Delete the signed-in user by the mailed link',
  access: 'visitor',
  input: z.object({ token: z.string(), callbackURL: z.string().optional() }),
  output: deleted,
  failures: ['DELETE_USER_OFF', 'USER_INFO_NOT_FOUND', 'DELETE_TOKEN_INVALID', 'ONLY_OWNER', 'LAST_ADMIN'],
  isHooked: true,
  isWriting: true,
})

/** A copy for the person (GDPR, articles 15 and 20), without secrets. `/list-activity` has the events. */
export const exportAccount = call({
  method: 'POST',
  path: '/export-account',
  summary: 'All that is kept of the signed-in user, except events',
  access: 'session',
  input: z.object({}),
  output: PersonData,
  failures: [],
  isHeavy: true,
})

/**
 * The own fields of this service that a call can set, for whoever makes a form. Values that only administrators set are
 * marked; what nobody sets is left out.
 */
export const listFields = call({
  method: 'GET',
  path: '/field/list',
  summary: 'The own fields of users and organizations here that can be set',
  access: 'anyone',
  input: z.object({}),
  output: z.array(
    z.object({
      of: z.enum(['user', 'organization']),
      name: z.string(),
      type: z.enum(ownFieldKinds),
      choices: z.array(z.string()).optional(),
      required: z.boolean(),
      default: z.union([z.string(), z.number(), z.boolean()]).optional(),
      setBy: z.enum(['person', 'admin']),
    }),
  ),
  failures: [],
})
