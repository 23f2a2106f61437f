import { type ByCode, findByCode } from '../../shared/failure.ts'
import type { CliError } from '../output/cli-error.ts'
import { limitText } from '../output/error-report.ts'
import { wrongPassword } from './account/fields.ts'
import type { Form } from './flow.ts'

const passwords = ['newPassword', 'password'] as const
const emails = ['newEmail', 'email'] as const

/** The fields that a refusal is about, by their names; the first one that a form has. */
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
  INVALID_IP_RANGE: ['ranges'],
  A_KEY_MAY_NOT_LIVE_FOR_SO_LONG: ['expires'],
  ISSUER_NOT_ACCEPTED: ['issuer'],
  THE_CLAIMS_HAVE_TO_NAME_ONE_THAT_IS_YOURS_ALONE_LIKE_THE_REPOSITORY: ['claims'],
}

/** What was typed is no password of theirs: nothing of it is worth keeping. */
export const isWrongPassword = (code: string): boolean => wrongPassword.some((one) => one === code)

/** What is asked for again, and what it has to be. */
export const againText = ({ message, ...refusal }: Pick<CliError, 'message' | 'code' | 'limit'>): string =>
  [
    `${message}: ${isWrongPassword(refusal.code) ? 'type it again' : 'choose another one'}`,
    limitText(refusal)?.toLowerCase(),
  ]
    .filter(Boolean)
    .join(', ')

/** What is wrong with each field, by its name in the form; none where the form lacks one of those that the service named. */
export function problemsAbout(
  { fields }: Pick<Form, 'fields'>,
  { problems }: CliError,
): Readonly<Record<string, string>> {
  const found = problems.map(({ path, message }) => [fieldAt(fields, path), message] as const)
  return found.every(([name]) => name !== undefined) ? Object.fromEntries(found) : {}
}

/** `data.slug` is `slug` where people are asked, and `scopes.0` one of `scopes`. */
function fieldAt(fields: Form['fields'], path: string): string | undefined {
  const names = path.split('.').filter((name) => !/^\d+$/.test(name))
  return fields.find(({ name }) => name === names.at(-1) || name === names[0])?.name
}

/** What was typed and is refused: the index of its field; undefined where it is about none of the form. */
export function fieldAbout({ fields }: Pick<Form, 'fields'>, error: CliError): number | undefined {
  // A flag or an argument is named, or a field of the call.
  const named = error.fields?.map((field) => field.replace(/^-+/, '')) ?? findByCode(fieldsByCode, error.code) ?? []
  const at = named
    .map((name) => fields.findIndex((field) => field.name.toLowerCase() === name.toLowerCase()))
    .find((index) => index >= 0)
  return at
}
