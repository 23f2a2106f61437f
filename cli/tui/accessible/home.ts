import { isMachineAddress } from '../../../shared/email.ts'
import type { User } from '../../../shared/entities.ts'
import { ownTrail } from '../../flows/account/activity.ts'
import { languageWord } from '../../flows/account/fields.ts'
import { addressState } from '../../flows/account/me.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { sendVerification } from '../../flows/email/addresses.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { countUnseen } from '../../flows/member/unseen.ts'
import { relativeTime } from '../../output/time.ts'
import { countText, roleText, withFullStop } from '../../output/words.ts'
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
import {
  allClearLine,
  type HomeAnswers,
  latestActivity,
  missingPartLines,
  noticesOf,
  type PartResult,
} from '../home/notices.ts'
import {
  type HomeContext,
  type HomePartName,
  type HomeParts,
  homeContextOf,
  homePartNames,
  loadHomePart,
  organizationSummary,
  readLastSeen,
  recordLastSeen,
} from '../home/parts.ts'
import { recentLines } from '../home/recent.ts'
import { type NumberedScreen, numberedScreens, screenReason } from '../keymap/names.ts'
import type { TuiConnection } from '../ports.ts'
import { defaultOrganization, sessionEndNotice, whySignedOut } from '../state/app-state.ts'
import { connectionOf } from '../state/flow-context.ts'
import { equivalentCommand, repeatText } from '../text/request-text.ts'
import { showsNeedOfVerification, toShownError } from '../text/shown-error.ts'
import { attemptOrReport, type Conversation, flowItem, formItem, repeatMenu, restrictionsOf } from './conversation.ts'
import { leaveWord } from './line-terminal.ts'
import { chooseFromMenu, fallbackIfLeft, type MenuItem } from './menu.ts'
import {
  administrationMenu,
  browseLinks,
  browseOrganizations,
  browseOwnKeys,
  browseOwnSessions,
  browseTrail,
  stopImpersonatingItems,
} from './places.ts'

/** The home menu: who is signed in and what they can do, repeated until the user leaves. */
export async function home(conversation: Conversation, first: NumberedScreen): Promise<void> {
  const { store, terminal } = conversation
  terminal.say(`Postern at ${store.ports.server}`)
  await store.load()
  terminal.say(`${leaveWord} alone leaves any question, 0 any list.`)
  if (store.state.me && first !== 'home') await fallbackIfLeft(screens[first](conversation), undefined)
  do await describe(conversation)
  while (await chooseFromMenu(terminal, homeItems(conversation), { zero: 'Quit' }))
}

async function describe(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const { me, current, shownError } = store.state
  terminal.say()
  if (shownError) terminal.say(`${shownError.sentence}. ${shownError.hint ?? ''}`)
  if (current?.impersonating !== undefined)
    terminal.say(
      `IMPERSONATING ${current.impersonating}: you see what they see and cannot change anything. Your own account is ${current.email}.`,
    )
  if (!me) return explainSignedOut(conversation)
  terminal.say(`Signed in as ${whoIs(me.user)}. The session ends ${relativeTime(me.session.expiresAt, Date.now())}.`)
  await printOverview(conversation)
}

function explainSignedOut({ store, terminal }: Conversation): void {
  const { me, ended } = store.state
  if (me === undefined) return terminal.say('Your sign-in could not be checked: the service did not answer.')
  const hint = ended && sessionEndNotice(ended).hint
  terminal.say([whySignedOut(store.state, store.ports), hint].filter(Boolean).join(' '))
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
    return [...(first ? [first] : []), stored, ...others, ...stopImpersonatingItems(conversation)]
  }
  return [
    ...numberedScreens.map(({ screen }) => ({
      label: labels[screen],
      disabledReason: screenReason(screen, isAdmin),
      run: () => screens[screen](conversation),
    })),
    ...(current ? [flowItem(conversation, signOut, { subjects: [current] })] : []),
    { label: 'Invitations to you', run: () => invitations(conversation) },
    ...stopImpersonatingItems(conversation),
  ]
}

const labels: Readonly<Record<NumberedScreen, string>> = {
  home: 'Home, refreshed',
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
  sessions: browseOwnSessions,
  profile: (conversation) => profile(conversation),
  orgs: browseOrganizations,
  admin: administrationMenu,
  requests: async (conversation) => requests(conversation),
}

/** A longer list is tedious when read aloud. */
const mostRequests = 20

/** The requests of this run, newest first, each as its equivalent command. */
function requests({ store, terminal }: Conversation): void {
  const shown = store.state.requests.slice(0, mostRequests)
  terminal.say(shown.length === 0 ? 'No requests yet.' : `The last ${shown.length}, newest first.`)
  for (const request of shown) {
    terminal.say(`${equivalentCommand(request)}, answered ${request.status ?? 'by nobody'}${repeatText(request)}`)
  }
}

const profile = (conversation: Conversation): Promise<void> => repeatMenu(conversation, () => profileMenu(conversation))

async function profileMenu(conversation: Conversation): Promise<boolean> {
  const { me } = conversation.store.state
  if (!me) return false
  const { user } = me
  conversation.terminal.say(`Name: ${user.name}`)
  conversation.terminal.say(`Email: ${user.email}, ${addressState(me)}`)
  conversation.terminal.say(`Image: ${user.image ?? 'none'}`)
  conversation.terminal.say(`Language: ${languageWord(user)}`)
  const [edit, changeEmail, ...others] = accountForms.map((form) => formItem(conversation, form))
  const mail = flowItem(conversation, sendVerification, { subjects: [me] })
  const links = { label: 'Linked accounts', run: () => browseLinks(conversation) }
  const machines = { label: 'Keys for machines', run: () => browseOwnKeys(conversation) }
  const activity = {
    label: 'Activity',
    disabledReason: restrictionsOf(conversation).isImpersonating ? impersonatingReason : undefined,
    run: () => browseTrail(conversation, ownTrail),
  }
  const items = [edit, changeEmail, mail, ...others, machines, links, activity]
  return chooseFromMenu(
    conversation.terminal,
    items.filter((item) => item !== undefined),
  )
}

const accounts = (conversation: Conversation): Promise<void> =>
  repeatMenu(conversation, () => accountsMenu(conversation))

function accountsMenu(conversation: Conversation): Promise<boolean> {
  const { store, terminal } = conversation
  const items = store.state.accounts.flatMap((account) => {
    const name = `${account.email} at ${account.origin}`
    const subjects = [account]
    const use = { subjects, label: `Switch to ${name}${account.isCurrent ? ', the current one' : ''}` }
    return [
      flowItem(conversation, switchAccount, use),
      flowItem(conversation, signOut, { subjects, label: `Sign out ${name}` }),
    ]
  })
  const ways = signInForms.map((way) => formItem(conversation, () => way()))
  return chooseFromMenu(terminal, [...items, ...ways])
}

/** Notices, then the active organization, as on the home screen. */
async function printOverview({ store, terminal }: Conversation): Promise<void> {
  const { me, connection } = store.state
  if (!me || !connection) return
  const since = await readLastSeen(store)
  const [answers, unseen] = await readOverview(connection, homeContextOf(me, store.state), since)
  const view = { me, answers, since, now: Date.now() }
  for (const { label, hint } of noticesOf(view)) terminal.say(`${label}: ${hint}.`)
  for (const text of missingPartLines(view.answers)) terminal.say(withFullStop(text))
  const calm = allClearLine(view)
  if (calm !== undefined) terminal.say(calm)
  const [recent, place] = [answers.recent.data, answers.place.data]
  for (const text of recentLines({ recent, place, unseen }, view.now)) terminal.say(`${text}.`)
  const meant = defaultOrganization(store.state)
  if (meant)
    terminal.say(`Working in ${meant.name}.${place ? ` You are there ${organizationSummary(place, me)}.` : ''}`)
  const seen = latestActivity(view)
  if (seen) await recordLastSeen(store, seen)
}

const readOverview = (connection: TuiConnection, asker: HomeContext, since: Date) =>
  Promise.all([
    loadHomeParts(connection, asker, since),
    // An older service does not tell.
    asker.organizationId === null ? 0 : countUnseen(connection, asker.organizationId).catch(() => 0),
  ])

async function loadHomeParts(connection: TuiConnection, asker: HomeContext, since: Date): Promise<HomeAnswers> {
  const ask = <N extends HomePartName>(name: N): Promise<PartResult<HomeParts[N]>> =>
    loadHomePart[name](connection, asker, since).then(
      (data) => ({ data, shownError: undefined }),
      (error: unknown) => ({ data: undefined, shownError: toShownError(error) }),
    )
  const asked = homePartNames.map(async (name) => [name, await ask(name)] as const)
  return Object.fromEntries(await Promise.all(asked)) as HomeAnswers
}

/** Pending invitations of the signed-in user, from all organizations. */
async function invitations(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const menu = async () => {
    const mine = await connectionOf(store).api.invitation.listUserInvitations().catch(hiddenIfUnverified)
    if (mine === 'hidden') return verificationMenu(conversation)
    terminal.say(mine.length === 1 ? '1 invitation.' : `${countText(mine.length)} invitations.`)
    const items = mine.flatMap((invitation) => {
      const { organizationName, role, inviterEmail, expiresAt } = invitation
      const what = `${organizationName}, as ${roleText(role)}, from ${inviterEmail}`
      const ends = relativeTime(expiresAt, Date.now())
      return [
        flowItem(conversation, acceptInvitation, { subjects: [invitation], label: `Accept ${what}, ends ${ends}` }),
        flowItem(conversation, rejectInvitation, { subjects: [invitation], label: `Reject ${what}` }),
      ]
    })
    return chooseFromMenu(terminal, items)
  }
  await attemptOrReport(conversation, () => repeatMenu(conversation, menu))
}

function hiddenIfUnverified(error: unknown): 'hidden' {
  if (showsNeedOfVerification(toShownError(error))) return 'hidden'
  throw error
}

async function verificationMenu(conversation: Conversation): Promise<boolean> {
  const { terminal, store } = conversation
  terminal.say('Invitations are shown once your address is verified.')
  const { me } = store.state
  return chooseFromMenu(terminal, [
    ...(me ? [flowItem(conversation, sendVerification, { subjects: [me] })] : []),
    formItem(conversation, () => verificationForm()),
  ])
}
