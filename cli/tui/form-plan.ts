import { isEmail } from '../../shared/email.ts'
import { isPicture } from '../../shared/picture.ts'
import type { Desk } from './desk.ts'
import type { FormName, Numbered } from './keys.ts'

export type Values = Readonly<Record<string, string>>

/** One of what a field lets a person choose from. */
export interface Option {
  readonly id: string
  readonly label: string
  /** Why it cannot be chosen; it stays listed. */
  readonly refusal?: string | undefined
}

export interface FieldPlan {
  readonly name: string
  readonly label: string
  readonly isSecret?: boolean
  /** `yes` or `no`, changed by a key in place of letters. */
  readonly isSwitch?: boolean
  /** Chosen from these, in place of typing; the value has the ids, comma-separated. */
  readonly options?: (values: Values) => readonly Option[]
  /** Several of the options, not just one. */
  readonly isSeveral?: boolean
  readonly initial?: (desk: Desk) => string
  /** What is wrong with this text before anything is sent; `values` are those of all fields so far. */
  readonly problem?: (text: string, values: Values, desk: Desk) => string | undefined
}

/** The form that follows, with what is known of its values. */
export interface Next {
  readonly form: FormName
  readonly values: Values
}

/** What a form did. */
export interface Done {
  readonly sentence: string
  /** The screen that a person is on then; none: the one before the form. */
  readonly to?: Numbered
  /** Offered, not begun. */
  readonly next?: Next
}

/** A flow that asks for a few values and makes one call; the screen and the accessible front both read it. */
export interface FormPlan {
  readonly title: string
  readonly fields: readonly FieldPlan[]
  /** What will happen, where the fields do not say it. */
  readonly note?: (desk: Desk) => string
  /** The note tells what others may have changed: it is read again when the form opens. */
  readonly isLatest?: boolean
  /** The command that does the same; secrets are asked for or read from a file there. */
  readonly command: (values: Values) => string
  readonly submit: (desk: Desk, values: Values) => Promise<Done>
}

export const textOf = (values: Values, name: string): string => (values[name] ?? '').trim()

export const needed = (label: string) => (text: string) => (text.trim() ? undefined : `${label} is needed`)

export const emailProblem = (text: string) =>
  isEmail(text.trim()) ? undefined : 'An e-mail address looks like ada@example.com'

/** What is there already may stay, whatever it is. */
export const pictureProblem = (text: string, before: string | undefined) =>
  text === before || isPicture(text.trim()) ? undefined : 'A picture has an address like https://example.com/a.png'

const serverProblem = (text: string) =>
  /^https?:\/\//.test(text.trim()) && URL.canParse(text.trim())
    ? undefined
    : 'A server looks like https://auth.example.com'

export const emailField: FieldPlan = { name: 'email', label: 'E-mail', problem: emailProblem }

export const serverField: FieldPlan = {
  name: 'server',
  label: 'Server',
  initial: (desk) => desk.state.connection?.server ?? desk.seam.server,
  problem: serverProblem,
}

/** Not shown: who has it may do what the mail is for. */
export const linkField: FieldPlan = {
  name: 'link',
  label: 'Link or token',
  isSecret: true,
  problem: needed('The link of the mail, or its token,'),
}

/** A new password is typed twice, since nobody sees it. */
export const newPasswordFields: readonly FieldPlan[] = [
  { name: 'newPassword', label: 'New password', isSecret: true, problem: needed('A new password') },
  {
    name: 'again',
    label: 'The same again',
    isSecret: true,
    problem: (text, values) => (text === values['newPassword'] ? undefined : 'This is not the same as above'),
  },
]

/** What is wrong, by field, in the order of the fields. */
export const problemsOf = ({ fields }: Pick<FormPlan, 'fields'>, values: Values, desk: Desk): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name, problem }) => {
      const found = problem?.(values[name] ?? '', values, desk)
      return found ? [[name, found]] : []
    }),
  )

/** What the fields start with, and what is given beside them. */
export const initialValues = ({ fields }: FormPlan, desk: Desk, given: Values = {}): Record<string, string> => ({
  ...Object.fromEntries(fields.map(({ name, initial }) => [name, initial?.(desk) ?? ''])),
  ...given,
})

/** The values that may stand in another form: no secrets. */
export const openly = ({ fields }: FormPlan, values: Values): Values =>
  Object.fromEntries(fields.flatMap(({ name, isSecret }) => (isSecret ? [] : [[name, values[name] ?? '']])))
