import { isMachineAddress } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { addressState } from '../../flows/account/me.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { sendVerification } from '../../flows/email/addresses.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { relativeTime } from '../../output/time.ts'
import { roleText } from '../../output/words.ts'
import { impersonatingReason } from '../forms/disabled-reason.ts'
import {
  accountForms,
  deviceForm,
  forgotPasswordForm,
  signInForm,
  signInForms,
  signUpForm,
  tokenForm,
  verificationForm,
} from '../forms/forms.ts'
import { type Asked, calmLine, couldNotAsk, type HomeAnswers, noticesOf, seenUntil } from '../home/notices.ts'
import {
  type Asker,
  askerOf,
  askPart,
  type HomeParts,
  noteVisit,
  type PartName,
  placeText,
  seenBefore,
} from '../home/parts.ts'
import { type NumberedScreen, numberedScreens, shownScreens } from '../keys/names.ts'
import type { TuiConnection } from '../ports.ts'
import { endNotice, meantOrganization, whyNobody } from '../state/app-state.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { equivalentCommand, timesText } from '../text/request-text.ts'
import { needsVerification, toShownError } from '../text/shown-error.ts'
import { actionItem, attempt, type Conversation, formItem, modeOf, stay } from './conversation.ts'
import { leavingWord } from './line-terminal.ts'
import { choose, type MenuItem, orLeft } from './menu.ts'
import { administration, linksPlace, organizationsPlace, ownKeysPlace, ownSessionsPlace, stopItems } from './places.ts'
import { trail } from './resources.ts'

/** The home menu: who is signed in and what they can do, repeated until the user leaves. */
export async function home(conversation: Conversation, first = 'home'): Promise<void> {
  const { store, terminal } = conversation
  terminal.say(`Postern at ${store.ports.server}`)
  await store.load()
  terminal.say(`${leavingWord} alone leaves any question, 0 any list.`)
  const start = numberedScreens.find(({ screen }) => screen === first)?.screen ?? 'home'
  if (store.state.me && start !== 'home') await orLeft(screens[start](conversation), undefined)
  do await describe(conversation)
  while (await choose(terminal, homeItems(conversation), 'Quit'))
}

async function describe(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const { me, current, shownError } = store.state
  terminal.say()
  if (shownError) terminal.say(`${shownError.sentence}. ${shownError.hint ?? ''}`)
  if (current?.impersonating !== undefined)
    terminal.say(
      `IMPERSONATING ${current.impersonating}: you see what they see and change nothing. You are ${current.email}.`,
    )
  if (!me) return sayWhyNobody(conversation)
  terminal.say(`Signed in as ${whoIs(me.user)}. The session ends ${relativeTime(me.session.expiresAt, Date.now())}.`)
  await tellOverview(conversation)
}

function sayWhyNobody({ store, terminal }: Conversation): void {
  const { me, ended } = store.state
  if (me === undefined) return terminal.say('Whether you are signed in is not known: the service could not be asked.')
  const hint = ended && endNotice(ended).hint
  terminal.say([whyNobody(store.state, store.ports), hint].filter(Boolean).join(' '))
}

const whoIs = (user: User): string =>
  isMachineAddress(user.email) ? `the machine ${user.name}` : `${user.name}, ${user.email}`

/** The screens with a number key come first, under the same numbers. */
function homeItems(conversation: Conversation): readonly MenuItem[] {
  const { me, current, isAdmin } = conversation.store.state
  if (!me) {
    const [first, ...others] = [signInForm, signUpForm, forgotPasswordForm, deviceForm, tokenForm].map((way) =>
      formItem(conversation, () => way()),
    )
    const stored = { label: 'Accounts', run: () => accounts(conversation) }
    return [...(first ? [first] : []), stored, ...others, ...stopItems(conversation)]
  }
  return [
    ...shownScreens(isAdmin).map(({ screen }) => ({ label: labels[screen], run: () => screens[screen](conversation) })),
    ...(current ? [actionItem(conversation, signOut, { subjects: [current] })] : []),
    { label: 'Invitations to you', run: () => invitations(conversation) },
    ...stopItems(conversation),
  ]
}

const labels: Readonly<Record<NumberedScreen, string>> = {
  home: 'Home, read again',
  accounts: 'Accounts',
  sessions: 'Sessions',
  profile: 'Profile',
  orgs: 'Organizations',
  admin: 'Administration',
  requests: 'Requests',
}

const screens: Readonly<Record<NumberedScreen, (conversation: Conversation) => Promise<void>>> = {
  home: ({ store }) => store.load(),
  accounts: (conversation) => accounts(conversation),
  sessions: ownSessionsPlace,
  profile: (conversation) => profile(conversation),
  orgs: organizationsPlace,
  admin: administration,
  requests: async (conversation) => requests(conversation),
}

/** A longer list is tedious when read aloud. */
const mostRequests = 20

/** The requests of this run, newest first, each as its equivalent command. */
function requests({ store, terminal }: Conversation): void {
  const shown = store.state.requests.slice(0, mostRequests)
  terminal.say(shown.length === 0 ? 'Nothing was asked yet.' : `The last ${shown.length}, newest first.`)
  for (const request of shown) {
    terminal.say(`${equivalentCommand(request)}, answered ${request.status ?? 'by nobody'}${timesText(request)}`)
  }
}

const profile = (conversation: Conversation): Promise<void> => stay(conversation, () => profileMenu(conversation))

async function profileMenu(conversation: Conversation): Promise<boolean> {
  const { me } = conversation.store.state
  if (!me) return false
  const { user } = me
  conversation.terminal.say(`Name: ${user.name}`)
  conversation.terminal.say(`E-mail: ${user.email}, ${addressState(me)}`)
  conversation.terminal.say(`Image: ${user.image ?? 'none'}`)
  const [edit, changeEmail, ...others] = accountForms.map((form) => formItem(conversation, form))
  const mail = actionItem(conversation, sendVerification, { subjects: [me] })
  const links = { label: 'Linked accounts', run: () => linksPlace(conversation) }
  const machines = { label: 'Keys for machines', run: () => ownKeysPlace(conversation) }
  const activity = {
    label: 'Activity',
    disabledReason: modeOf(conversation).isImpersonating ? impersonatingReason : undefined,
    run: () => trail(conversation, connectionOf(conversation.store).api.audit.listActivity),
  }
  const items = [edit, changeEmail, mail, ...others, machines, links, activity]
  return choose(
    conversation.terminal,
    items.filter((item) => item !== undefined),
    'Back',
  )
}

const accounts = (conversation: Conversation): Promise<void> => stay(conversation, () => accountsMenu(conversation))

function accountsMenu(conversation: Conversation): Promise<boolean> {
  const { store, terminal } = conversation
  const items = store.state.accounts.flatMap((account) => {
    const name = `${account.email} at ${account.origin}`
    const subjects = [account]
    const use = { subjects, label: `Switch to ${name}${account.isCurrent ? ', the current one' : ''}` }
    return [
      actionItem(conversation, switchAccount, use),
      actionItem(conversation, signOut, { subjects, label: `Sign out ${name}` }),
    ]
  })
  const ways = signInForms.map((way) => formItem(conversation, () => way()))
  return choose(terminal, [...items, ...ways], 'Back')
}

/** Notices, then the active organization, as on the home screen. */
async function tellOverview({ store, terminal }: Conversation): Promise<void> {
  const { me, connection } = store.state
  if (!me || !connection) return
  const since = await seenBefore(store)
  const view = { me, answers: await askAll(connection, askerOf(me, store.state), since), since, now: Date.now() }
  for (const { label, hint } of noticesOf(view)) terminal.say(`${label}: ${hint}.`)
  for (const text of couldNotAsk(view.answers)) terminal.say(`${text}.`.replace('..', '.'))
  const calm = calmLine(view)
  if (calm !== undefined) terminal.say(calm)
  const { data: place } = view.answers.place
  const meant = meantOrganization(store.state)
  if (meant) terminal.say(`Working in ${meant.name}.${place ? ` You are there ${placeText(place, me)}.` : ''}`)
  const seen = seenUntil(view)
  if (seen) await noteVisit(store, seen)
}

async function askAll(connection: TuiConnection, asker: Asker, since: Date): Promise<HomeAnswers> {
  const ask = <N extends PartName>(name: N): Promise<Asked<HomeParts[N]>> =>
    askPart[name](connection, asker, since).then(
      (data) => ({ data, shownError: undefined }),
      (error: unknown) => ({ data: undefined, shownError: toShownError(error) }),
    )
  const [invitations, sessions, keys, events, place] = await Promise.all([
    ask('invitations'),
    ask('sessions'),
    ask('keys'),
    ask('events'),
    ask('place'),
  ])
  return { invitations, sessions, keys, events, place }
}

/** Pending invitations of the signed-in user, from all organizations. */
async function invitations(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const menu = async () => {
    const mine = await connectionOf(store).api.invitation.listUserInvitations().catch(hidden)
    if (mine === 'hidden') return verify(conversation)
    terminal.say(mine.length === 1 ? '1 invitation.' : `${mine.length} invitations.`)
    const items = mine.flatMap((invitation) => {
      const { organizationName, role, inviterEmail, expiresAt } = invitation
      const what = `${organizationName}, as ${roleText(role)}, from ${inviterEmail}`
      const ends = relativeTime(expiresAt, Date.now())
      return [
        actionItem(conversation, acceptInvitation, { subjects: [invitation], label: `Accept ${what}, ends ${ends}` }),
        actionItem(conversation, rejectInvitation, { subjects: [invitation], label: `Reject ${what}` }),
      ]
    })
    return choose(terminal, items, 'Back')
  }
  await attempt(conversation, () => stay(conversation, menu))
}

function hidden(error: unknown): 'hidden' {
  if (needsVerification(toShownError(error))) return 'hidden'
  throw error
}

async function verify(conversation: Conversation): Promise<boolean> {
  const { terminal, store } = conversation
  terminal.say('Invitations are shown once your address is verified.')
  const { me } = store.state
  return choose(
    terminal,
    [
      ...(me ? [actionItem(conversation, sendVerification, { subjects: [me] })] : []),
      formItem(conversation, () => verificationForm()),
    ],
    'Back',
  )
}
