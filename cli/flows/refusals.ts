import { exitCodes } from '../../shared/exit-codes.ts'
import { type ByCode, type FailureCode, findByCode } from '../../shared/failure.ts'
import { CliError, changedError } from '../output/cli-error.ts'
import { limitText, toCliError } from '../output/error-report.ts'
import { wrongPassword } from './account/fields.ts'
import type { Form } from './flow.ts'
import { formName } from './own-fields.ts'

const passwords = ['newPassword', 'password'] as const
const emails = ['newEmail', 'email'] as const

/** The fields that an error code is about. The first one that the form has is used. */
const fieldsByCode: ByCode<readonly string[]> = {
  INVALID_EMAIL: emails,
  USER_ALREADY_EXISTS: emails,
  COULDNT_UPDATE_YOUR_EMAIL: emails,
  EMAIL_IS_THE_SAME: emails,
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: ['email'],
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: ['email'],
  INVALID_EMAIL_OR_PASSWORD: ['password'],
  INVALID_PASSWORD: ['currentPassword', 'password'],
  PASSWORD_TOO_SHORT: passwords,
  PASSWORD_TOO_LONG: passwords,
  PASSWORD_TOO_COMMON: passwords,
  ORGANIZATION_ALREADY_EXISTS: ['slug'],
  SLUG_IS_TAKEN: ['slug'],
  ROLE_NOT_FOUND: ['roles'],
  SCOPE_NOT_FOUND: ['scopes'],
  EVENT_NOT_FOUND: ['events'],
  INVALID_IP_RANGE: ['ranges'],
  INVALID_RESOURCE: ['permissions'],
  A_KEY_MAY_NOT_LIVE_FOR_SO_LONG: ['expires'],
  ISSUER_NOT_ACCEPTED: ['issuer'],
  THE_CLAIMS_HAVE_TO_NAME_ONE_THAT_IS_YOURS_ALONE_LIKE_THE_REPOSITORY: ['claims'],
}

/** Refusals whose message does not name the value. */
const nameless = [
  'ROLE_NOT_FOUND',
  'SCOPE_NOT_FOUND',
  'EVENT_NOT_FOUND',
  'INVALID_IP_RANGE',
  'INVALID_RESOURCE',
] as const

/** The error with the refused value, as in `Role not found: admn`. Of several it is not known which. */
export function namingValue(error: unknown, values: Readonly<Record<string, unknown>>): unknown {
  const refusal = toCliError(error)
  const code = nameless.find((one) => one === refusal.code)
  const given = code === undefined ? [] : [fieldsByCode[code]?.map((name) => values[name])].flat(3).filter(Boolean)
  if (given.length === 0) return error
  return changedError(
    refusal,
    {},
    `${refusal.message}: ${given.length > 1 ? 'at least one of ' : ''}${given.join(', ')}`,
  )
}

/** Explains the code by which a service says that its operator turned something off; rethrows other errors. */
export const explainOff =
  (off: string, what: string) =>
  (cause: unknown): never => {
    const { code, status } = toCliError(cause)
    if (code !== off) throw cause
    const hint = 'Ask the operator of the service'
    throw new CliError(exitCodes.forbidden, `On this service, ${what}`, { code, status, hint, cause })
  }

/** Rethrows with a hint that fits this command better than the usual one of the code. */
export const withHint =
  (code: FailureCode, hint: string, message?: string) =>
  (error: unknown): never => {
    const refusal = toCliError(error)
    throw refusal.code === code ? changedError(refusal, { hint }, message) : error
  }

/** The current password was wrong, so the typed text is discarded. */
export const isWrongPassword = (code: string): boolean => wrongPassword.some((one) => one === code)

/** Asks for a value again, and says what is expected. */
export const retryText = ({ message, ...refusal }: Pick<CliError, 'message' | 'code' | 'limit'>): string =>
  [
    `${message}: ${isWrongPassword(refusal.code) ? 'type it again' : 'choose another one'}`,
    limitText(refusal)?.toLowerCase(),
  ]
    .filter(Boolean)
    .join(', ')

/** What is wrong, by form field; empty if the form lacks a field that the service named. */
export function problemsByField(
  { fields }: Pick<Form, 'fields'>,
  { problems }: CliError,
): Readonly<Record<string, string>> {
  const found = problems.map(({ path, message }) => [fieldAt(fields, path), message] as const)
  return found.every(([name]) => name !== undefined) ? Object.fromEntries(found) : {}
}

/** `data.slug` is the form field `slug`, and `scopes.0` is part of `scopes`. */
function fieldAt(fields: Form['fields'], path: string): string | undefined {
  const names = path.split('.').filter((name) => !/^\d+$/.test(name))
  const own = fields.find(({ name }) => name === formName(names.at(-1) ?? ''))
  return (own ?? fields.find(({ name }) => name === names.at(-1) || name === names[0]))?.name
}

/** The index of the field that an error is about; undefined if it is none of the form. */
export function fieldIndexOf({ fields }: Pick<Form, 'fields'>, error: CliError): number | undefined {
  // The error names a flag, an argument, or a field of the call.
  const named = error.fields?.map((field) => field.replace(/^-+/, '')) ?? findByCode(fieldsByCode, error.code) ?? []
  const at = named
    .map((name) => fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase()))
    .find((index) => index >= 0)
  return at
}
