import { canonicalEmail } from '../../shared/email.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { Refusal } from '../refusal.ts'
import { commandLine } from './commands.ts'
import { emailField, type FieldPlan, type FormPlan, needed, serverField, textOf, type Values } from './form-plan.ts'

const password: FieldPlan = { name: 'password', label: 'Password', isSecret: true, problem: needed('A password') }

export const signIn: FormPlan = {
  title: 'Sign in',
  fields: [emailField, password, serverField],
  command: (values) => commandLine('postern', 'sign-in', '--email', textOf(values, 'email') || 'E'),
  submit: async (desk, values) => {
    const { server: where, email: who } = placeOf(values)
    const { api } = await desk.connect(where, who)
    const { user } = await api.account.signInEmail({ email: who, password: values['password'] ?? '' })
    await desk.switchTo(where, who)
    return { sentence: `Signed in as ${user.email}`, to: 'home' }
  },
}

export const signInToken: FormPlan = {
  title: 'Sign in with a token',
  fields: [{ name: 'token', label: 'Token', isSecret: true, problem: needed('A session token') }, serverField],
  command: () => commandLine('postern', 'sign-in', '--token-file', 'FILE'),
  submit: async (desk, values) => {
    const [where, token] = [textOf(values, 'server'), textOf(values, 'token')]
    const { api } = await desk.connectWithToken(where, token)
    const view = await api.session.getSession()
    if (!view) throw new Refusal(exitCodes.signedOut, 'The service does not know this token', unknownToken)
    const who = canonicalEmail(view.user.email)
    await desk.seam.adoptToken(where, who, token)
    await desk.switchTo(where, who)
    return { sentence: `Signed in as ${view.user.email}`, to: 'home' }
  },
}

const unknownToken = { code: 'NOT_SIGNED_IN', hint: 'Is its session over, or is it the token of another server?' }

export const signUp: FormPlan = {
  title: 'Create an account',
  fields: [{ name: 'name', label: 'Name', problem: needed('A name') }, emailField, password, serverField],
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
    if (token === null) {
      const next = { form: 'verify-email', values: { server: where, email: who } } as const
      return { sentence: `Account created for ${who}. Confirm the address by the mail sent, then sign in`, next }
    }
    await desk.switchTo(where, who)
    return { sentence: `Account created. Signed in as ${who}`, to: 'home' }
  },
}

const placeOf = (values: Values) => ({
  server: textOf(values, 'server'),
  email: canonicalEmail(textOf(values, 'email')),
})
