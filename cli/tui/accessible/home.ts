import type { Session } from '../../../shared/entities.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { revokeSession } from '../../flows/session/revoke.ts'
import { revokeAll } from '../../flows/session/revoke-all.ts'
import { revokeOthers } from '../../flows/session/revoke-others.ts'
import { relativeTime } from '../../output/time.ts'
import {
  accountForms,
  deviceForm,
  forgotPasswordForm,
  signInForm,
  signInForms,
  signUpForm,
  tokenForm,
} from '../forms/forms.ts'
import { activeOrganization } from '../state/app-store.ts'
import { accountAt, connectionOf } from '../state/flow-ports.ts'
import { deviceOf } from '../text/session-text.ts'
import { actionItem, attempt, type Conversation, formItem } from './conversation.ts'
import { linkedAccounts } from './links.ts'
import { choose, type MenuItem } from './menu.ts'
import { invitations, organizations } from './organizations.ts'

/** Who I am and where to go from here, again and again until the person leaves. */
export async function home(conversation: Conversation, first = 'home'): Promise<void> {
  const { store, terminal } = conversation
  terminal.say(`Postern at ${store.ports.server}`)
  await store.load()
  if (store.state.me) await startScreens[first]?.(conversation)
  do describe(conversation)
  while (await choose(terminal, homeItems(conversation), 'Quit'))
}

function describe({ store, terminal }: Conversation): void {
  const { me, current, shownError } = store.state
  terminal.say()
  if (shownError) terminal.say(`${shownError.sentence}. ${shownError.hint ?? ''}`)
  if (me) {
    terminal.say(
      `Signed in as ${me.user.name}, ${me.user.email}. The session ends ${relativeTime(me.session.expiresAt, Date.now())}.`,
    )
    const active = activeOrganization(store.state)
    if (active) terminal.say(`Working in ${active.name}.`)
  } else terminal.say(current ? `The session of ${current.email} is over.` : 'Nobody is signed in here yet.')
}

function homeItems(conversation: Conversation): readonly MenuItem[] {
  const { me, current } = conversation.store.state
  const stored = { label: 'Accounts', run: () => accounts(conversation) }
  if (!me) {
    const ways = [signInForm, signUpForm, forgotPasswordForm, deviceForm, tokenForm].map((way) =>
      formItem(conversation, () => way()),
    )
    return [...ways, stored]
  }
  return [
    { label: 'Sessions', run: () => sessions(conversation) },
    { label: 'Profile', run: () => profile(conversation) },
    stored,
    ...(current ? [actionItem(conversation, signOut, { subjects: [accountAt(current)] })] : []),
    { label: 'Read again', run: () => conversation.store.load() },
    { label: 'Organizations', run: () => organizations(conversation) },
    { label: 'Invitations to you', run: () => invitations(conversation) },
  ]
}

/** Where one may start, by the names of the screens. */
const startScreens: Readonly<Record<string, (conversation: Conversation) => Promise<void>>> = {
  accounts: (conversation) => accounts(conversation),
  sessions: (conversation) => sessions(conversation),
  profile: (conversation) => profile(conversation),
  orgs: (conversation) => organizations(conversation),
}

async function sessions(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  await attempt(conversation, async () => {
    const list = await connectionOf(store).api.session.listSessions()
    terminal.say(list.length === 1 ? '1 session.' : `${list.length} sessions.`)
    const items = list.map((session) => ({
      label: lineOf(conversation, session),
      run: () => oneSession(conversation, session),
    }))
    const { me } = store.state
    const subjects = me ? [{ user: me.user }] : []
    const both = [
      actionItem(conversation, revokeOthers, { subjects }),
      actionItem(conversation, revokeAll, { subjects }),
    ]
    await choose(terminal, [...items, ...both], 'Back')
  })
}

async function oneSession(conversation: Conversation, session: Session): Promise<void> {
  const { terminal } = conversation
  const now = Date.now()
  terminal.say(`${deviceOf(session)}, address ${session.ipAddress ?? 'unknown'}.`)
  terminal.say(
    `Signed in ${relativeTime(session.createdAt, now)}, ends ${relativeTime(session.expiresAt, now)}. Id ${session.id}.`,
  )
  await choose(terminal, [actionItem(conversation, revokeSession, { subjects: [session] })], 'Back')
}

function lineOf({ store }: Conversation, session: Session): string {
  const isCurrent = session.id === store.state.me?.session.id
  return `${deviceOf(session)}, last used ${relativeTime(session.updatedAt, Date.now())}${isCurrent ? ', this one' : ''}`
}

async function profile(conversation: Conversation): Promise<void> {
  const { user } = conversation.store.state.me ?? {}
  if (!user) return
  conversation.terminal.say(`Name: ${user.name}`)
  conversation.terminal.say(`E-mail: ${user.email}, ${user.emailVerified ? 'verified' : 'not verified'}`)
  conversation.terminal.say(`Image: ${user.image ?? 'none'}`)
  const [edit, changeEmail, ...others] = accountForms.map((form) => formItem(conversation, form))
  const mail = actionItem(conversation, sendVerification, { subjects: [{ user }] })
  const links = { label: 'Linked accounts', run: () => linkedAccounts(conversation) }
  const items = [edit, changeEmail, mail, ...others, links]
  await choose(
    conversation.terminal,
    items.filter((item) => item !== undefined),
    'Back',
  )
}

async function accounts(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const items = store.state.accounts.flatMap((account) => {
    const name = `${account.email} at ${account.origin}`
    const subjects = [accountAt(account)]
    const use = { subjects, label: `Act as ${name}${account.isCurrent ? ', the current one' : ''}` }
    return [
      actionItem(conversation, switchAccount, use),
      actionItem(conversation, signOut, { subjects, label: `Sign out ${name}` }),
    ]
  })
  const ways = signInForms.map((way) => formItem(conversation, () => way()))
  await choose(terminal, [...items, ...ways], 'Back')
}
