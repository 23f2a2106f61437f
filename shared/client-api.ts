import { catalogue, type FailureName } from './errors.ts'
import { codeInBody, type Failure, fillField, kindOfCode, type WireBody, wireOf } from './failure.ts'
import { type InputProblem, inputProblem } from './input-problem.ts'

/** The versions of better-auth whose clients are answered in their own terms. */
export const clientApis = ['1.2', '1.7'] as const
export type ClientApi = (typeof clientApis)[number]

/** How 1.7 answers a failure, where a client of 1.2 expects something else. */
export interface NewerForm {
  readonly failure: FailureName
  /** Only at the calls with these paths. */
  readonly at?: readonly string[]
  /** Only when the message names this field. */
  readonly field?: string
  /** Default: that of the catalogue. */
  readonly status?: number
  readonly code: string
  /** Default: that of the catalogue. */
  readonly message?: string
  readonly details?: readonly InputProblem[]
}

const row = (failure: FailureName, code: string, more: Omit<NewerForm, 'failure' | 'code'> = {}): NewerForm => ({
  failure,
  code,
  ...more,
})

const anotherEmail = { message: 'User already exists. Use another email.' }
const atSignIn = { at: ['/sign-in/social'] }

/** Every difference that one answer cannot bridge. The first row that fits counts. */
export const newerForms: readonly NewerForm[] = [
  row('UNAUTHORIZED', 'UNAUTHORIZED'),
  row('USER_EXISTS', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', anotherEmail),
  row('USER_EXISTS_ALREADY', 'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL', anotherEmail),
  row('INVALID_EMAIL', 'VALIDATION_ERROR', {
    at: ['/sign-up/email'],
    message: 'Invalid body parameters',
    details: [inputProblem(['email'], 'an email address')],
  }),
  row('INVALID_EMAIL', 'VALIDATION_ERROR', {
    at: ['/change-email'],
    message: 'Invalid body parameters',
    details: [inputProblem(['newEmail'], 'an email address')],
  }),
  row('EMAIL_PASSWORD_OFF', 'EMAIL_PASSWORD_DISABLED'),
  row('SIGN_UP_OFF', 'EMAIL_PASSWORD_SIGN_UP_DISABLED'),
  row('VERIFICATION_EMAIL_OFF', 'VERIFICATION_EMAIL_NOT_ENABLED'),
  row('RESET_PASSWORD_OFF', 'RESET_PASSWORD_DISABLED'),
  row('CHANGE_EMAIL_OFF', 'CHANGE_EMAIL_DISABLED'),
  row('DELETE_USER_OFF', 'NOT_FOUND', {
    at: ['/delete-user', '/delete-user/callback'],
    message: 'Not found',
  }),
  row('PASSWORD_ALREADY_SET', 'PASSWORD_ALREADY_SET', { message: 'User already has a password set' }),
  row('SESSION_NOT_FRESH', 'SESSION_NOT_FRESH'),
  row('SESSION_TOO_OLD', 'SESSION_EXPIRED'),
  row('INVALID_REDIRECT_TARGET', 'INVALID_CALLBACK_URL', { field: 'callbackURL' }),
  row('INVALID_REDIRECT_TARGET', 'INVALID_REDIRECT_URL', { field: 'redirectTo', message: 'Invalid redirectURL' }),
  row('INVALID_REDIRECT_TARGET', 'INVALID_ERROR_CALLBACK_URL', { field: 'errorCallbackURL' }),
  row('INVALID_REDIRECT_TARGET', 'INVALID_NEW_USER_CALLBACK_URL', { field: 'newUserCallbackURL' }),
  row('LAST_ACCOUNT', 'FAILED_TO_UNLINK_LAST_ACCOUNT'),
  row('USER_OR_SESSION_REQUIRED', 'USER_ID_OR_SESSION_REQUIRED'),
  row('PROVIDER_NOT_SUPPORTED', 'PROVIDER_NOT_SUPPORTED'),
  row('PROVIDER_NOT_CONFIGURED', 'PROVIDER_NOT_SUPPORTED', { message: 'Provider {field} is not supported.' }),
  row('PROVIDER_WITHOUT_REFRESH', 'TOKEN_REFRESH_NOT_SUPPORTED'),
  row('ACCESS_TOKEN_NOT_VALID', 'FAILED_TO_GET_ACCESS_TOKEN'),
  row('ACCOUNT_NOT_LINKED', 'OAUTH_LINK_ERROR', atSignIn),
  row('ACCOUNT_LINK_FAILED', 'OAUTH_LINK_ERROR', atSignIn),
  row('SIGN_UP_DISABLED', 'OAUTH_LINK_ERROR', atSignIn),
  row('USER_NOT_CREATED', 'OAUTH_LINK_ERROR', atSignIn),
  row('SESSION_NOT_CREATED', 'OAUTH_LINK_ERROR', atSignIn),
  row('ACCOUNT_LINK_FAILED', 'LINKING_NOT_ALLOWED', {
    at: ['/link-social'],
    message: 'Account not linked - linking not allowed',
  }),
  row('SLUG_TAKEN', 'ORGANIZATION_SLUG_ALREADY_TAKEN', { message: 'Organization slug already taken' }),
  row('ORGANIZATION_DELETION_OFF', 'ORGANIZATION_DELETION_DISABLED', { status: 404 }),
  row('KEY_NOT_FOUND', 'KEY_NOT_FOUND', { at: ['/api-key/get', '/api-key/delete'], status: 404 }),
  row('NOT_A_MEMBER_FORBIDDEN', 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION', {
    at: [
      '/organization/list-members',
      '/organization/get-active-member-role',
      '/organization/list-roles',
      '/organization/get-role',
      '/organization/create-role',
      '/organization/update-role',
      '/organization/delete-role',
    ],
    message: 'You are not a member of this organization',
  }),
]

interface NewerSuccess {
  readonly failure: FailureName
  /** The path of the call. */
  readonly at: string
  readonly answer: object
}

/** Refusals of 1.2 that 1.7 answers with success: what was asked for is so already. */
export const newerSuccesses: readonly NewerSuccess[] = [
  { failure: 'NO_SESSION_TO_END', at: '/sign-out', answer: { success: true } },
  { failure: 'SESSION_NOT_FOUND', at: '/revoke-session', answer: { status: true } },
]

/** What clients of this version are answered instead of the refusal, if it is none for them. */
export const successFor = (api: ClientApi, path: string, failure: FailureName): object | undefined =>
  api === '1.2' ? undefined : newerSuccesses.find((one) => one.failure === failure && one.at === path)?.answer

interface WireForm {
  readonly status: number
  readonly body: WireBody | null
  readonly details: readonly InputProblem[] | undefined
}

type Told = Pick<Failure, 'failure'> & Partial<Pick<Failure, 'field' | 'details'>>

/** The form of a failure of this call for the clients of a version. The only place where it is chosen. */
export function wireFor(api: ClientApi, path: string, { failure, field, details }: Told): WireForm {
  const form = api === '1.2' ? undefined : newerForms.find((one) => one.failure === failure && isFor(one, path, field))
  const { status, body } = wireOf(failure, field)
  if (!form) return { status, body, details }
  const message = fillField(form.message ?? catalogue[failure].message, field)
  return { status: form.status ?? status, body: { code: form.code, message }, details: form.details ?? details }
}

const isFor = ({ at, field }: NewerForm, path: string, named: string | undefined): boolean =>
  (at === undefined || at.includes(path)) && (field === undefined || field === (named ?? 'callbackURL'))

let olderCodes: ReadonlyMap<string, string> | undefined

/** The code of 1.2 behind one of 1.7, so that a program knows both. A code that means several things stays. */
export function olderCode(code: string | undefined): string | undefined {
  olderCodes ??= new Map(newerForms.flatMap((form) => olderEntries(form.code)))
  return code === undefined ? undefined : (olderCodes.get(code) ?? code)
}

function olderEntries(newer: string): [string, string][] {
  // The code is one of 1.2 too, or the one of 1.2 names what was sent.
  const forms = newerForms.filter(({ code }) => code === newer)
  if (kindOfCode(newer) !== undefined || forms.some(isNaming)) return []
  const [older, ...more] = new Set(forms.map(({ failure, field }) => codeInBody(wireOf(failure, field).body)))
  return older === undefined || more.length > 0 ? [] : [[newer, older]]
}

const isNaming = ({ failure, field }: NewerForm): boolean =>
  field === undefined && catalogue[failure].message.includes('{field}')
