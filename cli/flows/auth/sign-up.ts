import { canonicalEmail } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { passwordRules } from '../../../shared/errors.ts'
import { knownLanguage, languages } from '../../../shared/languages.ts'
import { accountRefOf } from '../../accounts/accounts.ts'
import { emailField, languageField, passwordField, serverField } from '../account/fields.ts'
import { userFields } from '../account/users.ts'
import { nextByMail } from '../email/addresses.ts'
import type { ValuesOf } from '../field.ts'
import { nameProblem } from '../field-checks.ts'
import { type Flow, type FlowResult, noSubject } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { ownFieldsFlag, ownValuesIn } from '../own-fields.ts'

const fields = {
  email: { ...emailField, summary: 'address of the new account' },
  name: { kind: 'text', label: 'Name', flag: '--name <name>', summary: 'name of the person', check: nameProblem },
  password: { ...passwordField, isRepeated: true, refusals: passwordRules },
  language: { ...languageField, summary: 'the language of mails and pages', values: languages, onlyInCommands: true },
  fields: ownFieldsFlag,
  server: serverField,
} as const

export const signUp: Flow<undefined, typeof fields, unknown, User> = {
  command: 'sign-up',
  summary: 'Create an account and sign in with it',
  title: 'Create an account',
  isForAnyone: true,
  subject: noSubject,
  fields,
  own: { of: 'user', by: 'person' },
  call: '/sign-up/email',
  answer: userFields,
  examples: ['', '--email alice@example.com --name Alice --password-file - < password.txt'],
  run: async (context, _, values) => {
    const account = accountRefOf(values.server, canonicalEmail(values.email))
    const { user, token, server } = await create(await context.asAccount(account, values.server), values)
    if (token === null) return waiting(user, server)
    await context.accounts.choose(account)
    return { sentence: `Signed up and in as ${user.email}`, status: 'created', resource: user, leadsHome: true }
  },
}

type Values = ValuesOf<typeof fields>

/** Creates only the account. The service opens a session anyway, which is ended here because nobody keeps it. */
export async function createAccount(context: FlowContext, values: Values): Promise<FlowResult<User>> {
  const { user, token, server } = await create(await context.asNobody(values.server), values)
  if (token === null) return waiting(user, server)
  const { api } = await context.withToken(server, token)
  await api.account.signOut({})
  return { sentence: `Signed up ${user.email}`, status: 'created', resource: user }
}

async function create({ api, server }: FlowConnection, { email, name, password, language, fields: given }: Values) {
  const own = { language: knownLanguage(language) ?? undefined, ...ownValuesIn(given) }
  const answer = await api.account.signUpEmail({ email: canonicalEmail(email), name, password, ...own })
  return { ...answer, server }
}

/** The service does not say why it opened no session. Most likely the address has to be verified first. */
const waiting = (user: User, server: string): FlowResult<User> => ({
  sentence: `Signed up ${user.email}`,
  status: 'created',
  resource: user,
  ...nextByMail(server, `If the address has to be verified first, a mail to ${user.email} has the link`),
})
