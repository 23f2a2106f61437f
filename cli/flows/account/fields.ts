import type { User } from '../../../shared/entities.ts'
import { passwordRules } from '../../../shared/errors.ts'
import { knownLanguage, type Language, languages } from '../../../shared/languages.ts'

const serverProblem = (text: string): string | undefined =>
  /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : 'A server looks like https://auth.example.com'

export const emailField = {
  kind: 'text',
  label: 'Email',
  flag: '--email <email>',
  summary: 'address of the account',
  isEmail: true,
} as const

/** The same field; without it, the command uses the account of the run. */
export const accountField = { ...emailField, isAccount: true } as const

export const passwordField = {
  kind: 'secret',
  label: 'Password',
  flag: '--password-file <file>',
  summary: 'file that holds the password, - for stdin',
  variable: 'POSTERN_PASSWORD_FILE',
} as const

/** Codes of a refused current password. */
export const wrongPassword = ['INVALID_EMAIL_OR_PASSWORD', 'INVALID_PASSWORD'] as const

export const newPasswordField = {
  ...passwordField,
  refusals: passwordRules,
  label: 'New password',
  summary: 'file that holds the new password, - for stdin',
  isRepeated: true,
} as const

/** A person's own language for mails and pages. */
export const languageField = {
  kind: 'choice',
  label: 'Language',
  flag: '--language <language>',
  summary: 'the language of mails and pages; auto: the one that browser or terminal asks for',
  values: ['auto', ...languages],
  isOptional: true,
} as const

/** The options of that field in forms. */
export const languageOptions = (values: readonly string[] = languageField.values) => ({
  language: values.map((id) => ({ id, label: id })),
})

/** The language of a user as a form shows it. */
export const languageWord = ({ language }: Pick<User, 'language'>): string => language ?? 'auto'

/** Nothing when none is given. */
export const languageIn = (given: string | undefined): { readonly language?: Language | null } =>
  given === undefined ? {} : { language: knownLanguage(given) }

export const serverField = { kind: 'server', label: 'Server', check: serverProblem } as const

export const linkField = { kind: 'link', label: 'Link or token' } as const

/** The same as an argument of a command. */
export const linkArgument = {
  ...linkField,
  argument: '[link]',
  summary: 'the link from the mail, or its token; - reads it from stdin',
} as const
