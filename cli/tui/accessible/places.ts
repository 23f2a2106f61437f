import type { Session } from '../../../shared/entities.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { revokeSession } from '../../flows/session/revoke.ts'
import { revokeAll } from '../../flows/session/revoke-all.ts'
import { revokeOthers } from '../../flows/session/revoke-others.ts'
import { relativeTime } from '../../output/time.ts'
import { activeOrganization } from '../desk.ts'
import { accountAt, connectionOf } from '../flow-ports.ts'
import { forgotPasswordForm, ownForms, signInForm, signUpForm, tokenForm, waysIn } from '../forms.ts'
import { deviceOf } from '../session-text.ts'
import { attempt, type Front, formItem, itemOf } from './flows.ts'
import { choose, type Item } from './menu.ts'
import { invitations, organizations } from './organizations.ts'

/** Who I am and where to go from here, again and again until the person leaves. */
export async function home(front: Front, first = 'home'): Promise<void> {
  const { desk, talk } = front
  talk.say(`Postern at ${desk.seam.server}`)
  await desk.load()
  if (desk.state.me) await places[first]?.(front)
  do describe(front)
  while (await choose(talk, homeItems(front), 'Quit'))
}

function describe({ desk, talk }: Front): void {
  const { me, current, fault } = desk.state
  talk.say()
  if (fault) talk.say(`${fault.sentence}. ${fault.hint ?? ''}`)
  if (me) {
    talk.say(
      `Signed in as ${me.user.name}, ${me.user.email}. The session ends ${relativeTime(me.session.expiresAt, Date.now())}.`,
    )
    const active = activeOrganization(desk.state)
    if (active) talk.say(`Working in ${active.name}.`)
  } else talk.say(current ? `The session of ${current.email} is over.` : 'Nobody is signed in here yet.')
}

function homeItems(front: Front): readonly Item[] {
  const { me, current } = front.desk.state
  const stored = { label: 'Accounts', run: () => accounts(front) }
  if (!me) {
    const ways = [signInForm, signUpForm, forgotPasswordForm, tokenForm].map((way) => formItem(front, () => way()))
    return [...ways, stored]
  }
  return [
    { label: 'Sessions', run: () => sessions(front) },
    { label: 'Profile', run: () => profile(front) },
    stored,
    ...(current ? [itemOf(front, signOut, { subjects: [accountAt(current)] })] : []),
    { label: 'Read again', run: () => front.desk.load() },
    { label: 'Organizations', run: () => organizations(front) },
    { label: 'Invitations to you', run: () => invitations(front) },
  ]
}

/** Where one may start, by the names of the screens. */
const places: Readonly<Record<string, (front: Front) => Promise<void>>> = {
  accounts: (front) => accounts(front),
  sessions: (front) => sessions(front),
  profile: (front) => profile(front),
  orgs: (front) => organizations(front),
}

async function sessions(front: Front): Promise<void> {
  const { desk, talk } = front
  await attempt(front, async () => {
    const list = await connectionOf(desk).api.session.listSessions()
    talk.say(list.length === 1 ? '1 session.' : `${list.length} sessions.`)
    const items = list.map((session) => ({ label: lineOf(front, session), run: () => oneSession(front, session) }))
    const { me } = desk.state
    const subjects = me ? [{ user: me.user }] : []
    const both = [itemOf(front, revokeOthers, { subjects }), itemOf(front, revokeAll, { subjects })]
    await choose(talk, [...items, ...both], 'Back')
  })
}

async function oneSession(front: Front, session: Session): Promise<void> {
  const { talk } = front
  const now = Date.now()
  talk.say(`${deviceOf(session)}, address ${session.ipAddress ?? 'unknown'}.`)
  talk.say(
    `Signed in ${relativeTime(session.createdAt, now)}, ends ${relativeTime(session.expiresAt, now)}. Id ${session.id}.`,
  )
  await choose(talk, [itemOf(front, revokeSession, { subjects: [session] })], 'Back')
}

function lineOf({ desk }: Front, session: Session): string {
  const isCurrent = session.id === desk.state.me?.session.id
  return `${deviceOf(session)}, last used ${relativeTime(session.updatedAt, Date.now())}${isCurrent ? ', this one' : ''}`
}

async function profile(front: Front): Promise<void> {
  const { user } = front.desk.state.me ?? {}
  if (!user) return
  front.talk.say(`Name: ${user.name}`)
  front.talk.say(`E-mail: ${user.email}, ${user.emailVerified ? 'verified' : 'not verified'}`)
  front.talk.say(`Image: ${user.image ?? 'none'}`)
  const [edit, changeEmail, ...others] = ownForms.map((form) => formItem(front, form))
  const items = [edit, changeEmail, itemOf(front, sendVerification, { subjects: [{ user }] }), ...others]
  await choose(
    front.talk,
    items.filter((item) => item !== undefined),
    'Back',
  )
}

async function accounts(front: Front): Promise<void> {
  const { desk, talk } = front
  const items = desk.state.accounts.flatMap((account) => {
    const name = `${account.email} at ${account.origin}`
    const subjects = [accountAt(account)]
    const use = { subjects, label: `Act as ${name}${account.isCurrent ? ', the current one' : ''}` }
    return [itemOf(front, switchAccount, use), itemOf(front, signOut, { subjects, label: `Sign out ${name}` })]
  })
  const ways = waysIn.map((way) => formItem(front, () => way()))
  await choose(talk, [...items, ...ways], 'Back')
}
