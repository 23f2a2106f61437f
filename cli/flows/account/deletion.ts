import type { deleteUser } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import type { OrganizationName } from '../../../shared/organization.ts'
import type { Consent, Flow, FlowResult } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { formOf } from '../form.ts'
import { openLink, tokenIn } from '../mailed-links/mailed-link.ts'
import { deletedSentence, soleMemberNote, soleMemberOrganizations } from '../org/organizations.ts'
import { explainOff } from '../refusals.ts'
import { linkField, passwordField, wrongPassword } from './fields.ts'
import { type CurrentUser, signedInUser } from './me.ts'
import { fullUserFields, type ShownUser, toShownUser } from './users.ts'

/** The account, and the organizations that are deleted with it. */
interface DeletedAccount extends ShownUser {
  readonly organizations: readonly OrganizationName[]
}

const deletedFields = { ...fullUserFields, organizations: 'any' } as const

/** The address has to be typed and is not shown, so that a stray key cannot delete an account. */
const deletionConsent: Consent<CurrentUser> = {
  question: () => 'Delete your account for good?',
  warning: async (context) => soleMemberNote(await soleOrganizations(context)),
  typed: {
    what: 'e-mail address of your account',
    label: 'Your address',
    example: 'alice@example.com',
    isOwnAddress: true,
    word: ([me]) => me?.user.email,
    always: true,
  },
}

/** The note shown in the form. */
const deletionNote = ({ user, organizations }: CurrentUser): string =>
  [
    `Deletes ${user.email} for good, with its sessions`,
    // Unknown or not available: then the rule, without names.
    organizations
      ? soleMemberNote(soleMemberOrganizations(organizations))
      : 'Organizations with no other member are deleted with it',
    'Type the address to confirm it',
  ]
    .filter((sentence) => sentence !== undefined)
    .join('. ')

/** Organizations of which the user is the only member. */
async function soleOrganizations(context: FlowContext): Promise<readonly OrganizationName[]> {
  const { api } = await context.signedIn()
  return soleMemberOrganizations(await api.organization.list())
}

/** Deletes at once or sends a confirmation mail, as the service is configured. */
async function askDeletion(context: FlowContext, proof: Input<typeof deleteUser>): Promise<Output<typeof deleteUser>> {
  const { api } = await context.signedIn()
  return openLink(
    () => api.account.deleteUser(proof).catch(explainOff('NOT_FOUND', 'users cannot delete their own account')),
    'postern account delete',
  )
}

async function forgetDeleted(
  { accounts, current }: FlowContext,
  user: FullUser,
  organizations: readonly OrganizationName[] = [],
): Promise<FlowResult<DeletedAccount>> {
  const account = await current()
  if (account) await accounts.remove(account)
  const resource = { ...toShownUser(user), organizations }
  return { sentence: deletedSentence(user.email, organizations), status: 'deleted', resource, leadsHome: true }
}

const fields = { password: { ...passwordField, isOptional: true, refusals: wrongPassword } } as const

export const deleteAccount: Flow<CurrentUser, typeof fields, unknown, DeletedAccount> = {
  command: 'account delete',
  summary: 'Delete the signed-in user for good; needs --confirm ADDRESS, --yes is not enough',
  title: 'Delete the account',
  subject: signedInUser,
  fields,
  call: '/delete-user',
  answer: deletedFields,
  examples: [
    '',
    '--confirm alice@example.com --password-file - < password.txt',
    '--confirm alice@example.com --token-file - < link.txt',
  ],
  consent: deletionConsent,
  readsLatest: true,
  note: (me) => `${deletionNote(me)}; the password can stay empty if you have just signed in.`,
  run: async (context, me, { password }) => {
    const { message, organizations } = await askDeletion(context, password === undefined ? {} : { password })
    return message === 'User deleted' ? forgetDeleted(context, me.user, organizations) : mailed(context, me)
  },
}

async function mailed(context: FlowContext, me: CurrentUser): Promise<FlowResult<DeletedAccount>> {
  const { email } = me.user
  const organizations = await soleOrganizations(context)
  const note = soleMemberNote(organizations)
  return {
    sentence: `Mailed ${email} a link to confirm it; nothing is deleted yet`,
    status: 'planned',
    resource: { ...toShownUser(me.user), organizations },
    ...(note !== undefined && { notes: [note] }),
    next: formOf(confirmDeletion, { subjects: [me], given: { confirm: email } }),
    nextWords: 'Then',
  }
}

const confirmDeletionFields = {
  link: {
    ...linkField,
    purpose: 'delete',
    flag: '--token-file <file>',
    selectsCommand: true,
    summary: 'file that holds the link from the mail, or its token, - for stdin',
  },
} as const

export const confirmDeletion: Flow<CurrentUser, typeof confirmDeletionFields, unknown, DeletedAccount> = {
  command: 'account delete --token-file FILE',
  summary: 'Delete the signed-in user for good with the link from a mail',
  title: 'Delete the account with a link',
  subject: signedInUser,
  fields: confirmDeletionFields,
  call: '/delete-user',
  answer: deletedFields,
  examples: ['--confirm alice@example.com --token-file - < link.txt'],
  consent: deletionConsent,
  readsLatest: true,
  note: (me) => `${deletionNote(me)}.`,
  run: async (context, { user }, { link }) => {
    const { server } = await context.signedIn()
    const { organizations } = await askDeletion(context, { token: await tokenIn(link, 'delete', server) })
    return forgetDeleted(context, user, organizations)
  },
}
