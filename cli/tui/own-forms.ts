import { canonicalEmail } from '../../shared/email.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { deletedSentence, soleNote, soleOf } from '../flows/org/titles.ts'
import { refusalFrom } from '../output/failure.ts'
import { visible } from '../output/filter.ts'
import { Refusal } from '../refusal.ts'
import { connectionOf } from './acts.ts'
import { commandLine } from './commands.ts'
import type { Desk } from './desk.ts'
import {
  type Done,
  emailProblem,
  type FieldPlan,
  type FormPlan,
  initialValues,
  linkField,
  needed,
  newPasswordFields,
  pictureProblem,
  textOf,
} from './form-plan.ts'
import { openLink, tokenIn } from './mailed-link.ts'

const imageOf = ({ state }: Desk): string => visible(state.me?.user.image ?? '')

export const editProfile: FormPlan = {
  title: 'Edit profile',
  fields: [
    {
      name: 'name',
      label: 'Name',
      initial: (desk) => visible(desk.state.me?.user.name ?? ''),
      problem: needed('A name'),
    },
    {
      name: 'image',
      label: 'Image URL',
      initial: imageOf,
      problem: (text, _values, desk) => pictureProblem(text, imageOf(desk)),
    },
  ],
  command: ({ name = 'NAME', image = 'URL' }) =>
    commandLine('postern', 'account', 'edit', '--name', name.trim(), '--image', image.trim()),
  submit: async (desk, values) => {
    // What was not touched is not sent: a name that we show with its controls spelled out keeps its own form.
    const before = initialValues(editProfile, desk)
    const [name, image] = ['name', 'image'].map((key) =>
      values[key] === before[key] ? undefined : textOf(values, key),
    )
    if (name === undefined && image === undefined) return { sentence: 'Nothing was changed' }
    const changed = {
      ...(name === undefined ? {} : { name }),
      ...(image === undefined ? {} : { image: image || null }),
    }
    await connectionOf(desk).api.account.updateUser(changed)
    return { sentence: 'Profile saved' }
  },
}

export const changeEmail: FormPlan = {
  title: 'Change the e-mail address',
  fields: [{ name: 'newEmail', label: 'New address', problem: emailProblem }],
  note: ({ state: { me } }) =>
    me?.user.emailVerified
      ? `${me.user.email} is verified: a mail to it asks for consent, and it stays the address until its link is opened.`
      : `${me?.user.email ?? 'The address'} is not verified: the new one takes its place at once, or where the service asks for it once it is verified.`,
  command: (values) => commandLine('postern', 'account', 'email', 'set', textOf(values, 'newEmail') || 'NEW'),
  submit: async (desk, values) => {
    const { api, server } = connectionOf(desk)
    const newEmail = canonicalEmail(textOf(values, 'newEmail'))
    const { me, current } = desk.state
    await api.email.changeEmail({ newEmail })
    const next = { form: 'verify-email', values: { server } } as const
    // Asked, not guessed: the address may have been verified elsewhere meanwhile.
    const view = await api.session.getSession({ disableCookieCache: 'true' })
    if (view?.user.email !== newEmail) {
      const sentence = view?.user.emailVerified
        ? `Mailed ${me?.user.email} for consent; it stays the address until then`
        : `Mailed ${newEmail}; ${me?.user.email} stays the address until the link in that mail is opened`
      return { sentence, next }
    }
    if (current) await desk.rename(current, newEmail)
    return { sentence: `The address is now ${newEmail}. A mail to it holds the link that verifies it`, next }
  },
}

export const changePassword: FormPlan = {
  title: 'Change the password',
  fields: [
    { name: 'currentPassword', label: 'Current password', isSecret: true, problem: needed('The current password') },
    ...newPasswordFields,
    {
      name: 'elsewhere',
      label: 'Sign out elsewhere',
      isSwitch: true,
      initial: () => 'no',
      problem: (text) => (/^(yes|no)$/.test(text) ? undefined : 'Answer yes or no'),
    },
  ],
  command: ({ elsewhere }) =>
    commandLine('postern', 'account', 'password', 'set', ...(elsewhere === 'yes' ? ['--revoke-others'] : [])),
  submit: async (desk, { currentPassword = '', newPassword = '', elsewhere }) => {
    const { api, speaksByToken } = connectionOf(desk)
    const isElsewhere = elsewhere === 'yes'
    // At once the service ends this session too, and answers with a new one as a cookie: of no use with a token.
    const isAtOnce = isElsewhere && !speaksByToken()
    await api.password.changePassword({
      currentPassword,
      newPassword,
      ...(isAtOnce ? { revokeOtherSessions: true } : {}),
    })
    if (isElsewhere && !isAtOnce) await api.session.revokeOtherSessions({})
    return { sentence: `Changed the password${isElsewhere ? ' and ended every other session' : ''}` }
  },
}

/** Typed, not shown: nobody deletes themselves by a key too many. */
const confirmField: FieldPlan = {
  name: 'confirm',
  label: 'Your address',
  problem: (text, _, { state }) =>
    text.trim() === state.me?.user.email ? undefined : 'This is not the address of your account',
}

const goodbye = ({ state: { me, organizations } }: Desk): string =>
  [
    `Deletes ${me?.user.email ?? 'the account'} for good, with its sessions`,
    // Not known yet, or not to be had: then the rule, without names.
    organizations ? soleNote(soleOf(organizations)) : 'Organizations in which nobody else is are deleted along with it',
    'Type the address to confirm it',
  ]
    .filter((sentence) => sentence !== undefined)
    .join('. ')

const deletion = (values: Readonly<Record<string, string>>, file: string): string =>
  commandLine('postern', 'account', 'delete', '--confirm', textOf(values, 'confirm') || 'E', file, 'FILE')

export const deleteAccount: FormPlan = {
  title: 'Delete the account',
  isLatest: true,
  fields: [confirmField, { name: 'password', label: 'Password', isSecret: true }],
  note: (desk) => `${goodbye(desk)}; the password may stay empty where you have just signed in.`,
  command: (values) => deletion(values, '--password-file'),
  submit: (desk, { password, ...values }) => destroy(desk, password ? { password } : {}, textOf(values, 'confirm')),
}

export const confirmDeletion: FormPlan = {
  title: 'Delete the account by a link',
  isLatest: true,
  fields: [confirmField, linkField],
  note: (desk) => `${goodbye(desk)}.`,
  command: (values) => deletion(values, '--token-file'),
  submit: async (desk, values) => {
    const token = await tokenIn(textOf(values, 'link'), 'delete', connectionOf(desk).server)
    return destroy(desk, { token }, textOf(values, 'confirm'))
  },
}

interface Proof {
  readonly password?: string
  readonly token?: string
}

/** At once, or by a mail that asks for consent, as the service is set up. */
async function destroy(desk: Desk, proof: Proof, confirm: string): Promise<Done> {
  const { api } = connectionOf(desk)
  const { current } = desk.state
  const ask = () => api.account.deleteUser(proof).catch(explain)
  const { message, organizations } = await openLink(ask, '“Delete the account” mails a new one.')
  if (message !== 'User deleted') {
    const sentence = `Mailed ${confirm} for consent; nothing is deleted yet`
    return { sentence, next: { form: 'confirm-deletion', values: { confirm } } }
  }
  if (current) await desk.seam.remove(current)
  return { sentence: deletedSentence(confirm, organizations), to: 'home' }
}

function explain(error: unknown): never {
  const { code, status } = refusalFrom(error)
  if (code !== 'NOT_FOUND') throw error
  const options = { code, status, hint: 'Ask its owner.', cause: error }
  throw new Refusal(exitCodes.forbidden, 'This service lets nobody delete their own account', options)
}
