import { canonicalEmail, isEmail } from '../../shared/email.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { visible } from '../output/filter.ts'
import { Refusal } from '../refusal.ts'
import { connectionOf } from './acts.ts'
import { commandLine } from './commands.ts'
import type { Desk } from './desk.ts'
import type { ScreenName } from './keys.ts'

export type Values = Readonly<Record<string, string>>

export interface FieldPlan {
  readonly name: string
  readonly label: string
  readonly isSecret?: boolean
  readonly initial?: (desk: Desk) => string
  /** What is wrong with this text before anything is sent. */
  readonly problem?: (text: string) => string | undefined
}

/** A flow that asks for a few values and makes one call; the screen and the accessible front both read it. */
export interface FormPlan {
  readonly title: string
  readonly fields: readonly FieldPlan[]
  /** The command that does the same; secrets are asked for or read from a file there. */
  readonly command: (values: Values) => string
  /** Does it, and says what was done. */
  readonly submit: (desk: Desk, values: Values) => Promise<string>
}

const needed = (label: string) => (text: string) => (text.trim() ? undefined : `${label} is needed`)
const emailProblem = (text: string) =>
  isEmail(text.trim()) ? undefined : 'An e-mail address looks like ada@example.com'
const serverProblem = (text: string) =>
  /^https?:\/\//.test(text.trim()) && URL.canParse(text.trim())
    ? undefined
    : 'A server looks like https://auth.example.com'

const email: FieldPlan = { name: 'email', label: 'E-mail', problem: emailProblem }
const password: FieldPlan = { name: 'password', label: 'Password', isSecret: true, problem: needed('A password') }
const server: FieldPlan = {
  name: 'server',
  label: 'Server',
  initial: (desk) => desk.state.connection?.server ?? desk.seam.server,
  problem: serverProblem,
}

const signIn: FormPlan = {
  title: 'Sign in',
  fields: [email, password, server],
  command: (values) => commandLine('postern', 'sign-in', '--email', textOf(values, 'email') || 'E'),
  submit: async (desk, values) => {
    const { server: where, email: who } = placeOf(values)
    const { api } = await desk.connect(where, who)
    const { user } = await api.account.signInEmail({ email: who, password: values['password'] ?? '' })
    await desk.switchTo(where, who)
    return `Signed in as ${user.email}`
  },
}

const signInToken: FormPlan = {
  title: 'Sign in with a token',
  fields: [{ name: 'token', label: 'Token', isSecret: true, problem: needed('A session token') }, server],
  command: () => commandLine('postern', 'sign-in', '--token-file', 'FILE'),
  submit: async (desk, values) => {
    const [where, token] = [textOf(values, 'server'), textOf(values, 'token')]
    const { api } = await desk.connectWithToken(where, token)
    const view = await api.session.getSession()
    if (!view) throw new Refusal(exitCodes.signedOut, 'The service does not know this token', unknownToken)
    const who = canonicalEmail(view.user.email)
    await desk.seam.adoptToken(where, who, token)
    await desk.switchTo(where, who)
    return `Signed in as ${view.user.email}`
  },
}

const unknownToken = { code: 'NOT_SIGNED_IN', hint: 'Is its session over, or is it the token of another server?' }

const signUp: FormPlan = {
  title: 'Create an account',
  fields: [{ name: 'name', label: 'Name', problem: needed('A name') }, email, password, server],
  command: (values) =>
    commandLine(
      'postern',
      'sign-up',
      '--email',
      textOf(values, 'email') || 'E',
      '--name',
      textOf(values, 'name') || 'N',
    ),
  submit: async (desk, values) => {
    const { server: where, email: who } = placeOf(values)
    const { api } = await desk.connect(where, who)
    const person = { name: textOf(values, 'name'), email: who, password: values['password'] ?? '' }
    const { token } = await api.account.signUpEmail(person)
    if (token === null) return `Account created for ${who}. Confirm the address by the mail sent, then sign in`
    await desk.switchTo(where, who)
    return `Account created. Signed in as ${who}`
  },
}

const editProfile: FormPlan = {
  title: 'Edit profile',
  fields: [
    {
      name: 'name',
      label: 'Name',
      initial: (desk) => visible(desk.state.me?.user.name ?? ''),
      problem: needed('A name'),
    },
    { name: 'image', label: 'Image URL', initial: (desk) => visible(desk.state.me?.user.image ?? '') },
  ],
  command: (values) =>
    commandLine('postern', 'account', 'edit', '--name', textOf(values, 'name'), '--image', textOf(values, 'image')),
  submit: async (desk, values) => {
    // What was not touched is not sent: a name that we show with its controls spelled out keeps its own form.
    const before = initialValues(editProfile, desk)
    const [name, image] = ['name', 'image'].map((key) =>
      values[key] === before[key] ? undefined : textOf(values, key),
    )
    if (name === undefined && image === undefined) return 'Nothing was changed'
    const change = { ...(name === undefined ? {} : { name }), ...(image === undefined ? {} : { image: image || null }) }
    await connectionOf(desk).api.account.updateUser(change)
    return 'Profile saved'
  },
}

const placeOf = (values: Values) => ({
  server: textOf(values, 'server'),
  email: canonicalEmail(textOf(values, 'email')),
})

const textOf = (values: Values, name: string): string => (values[name] ?? '').trim()

export type FormName = Extract<ScreenName, 'sign-in' | 'sign-in-token' | 'sign-up' | 'edit-profile'>
export const forms: Readonly<Record<FormName, FormPlan>> = {
  'sign-in': signIn,
  'sign-in-token': signInToken,
  'sign-up': signUp,
  'edit-profile': editProfile,
}

/** What is wrong, by field, in the order of the fields. */
export const problemsOf = ({ fields }: Pick<FormPlan, 'fields'>, values: Values): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name, problem }) => {
      const found = problem?.(values[name] ?? '')
      return found ? [[name, found]] : []
    }),
  )

export const initialValues = ({ fields }: FormPlan, desk: Desk): Record<string, string> =>
  Object.fromEntries(fields.map(({ name, initial }) => [name, initial?.(desk) ?? '']))
