import type { FullUser, Session } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { banUser } from '../../flows/admin/ban.ts'
import { createUser } from '../../flows/admin/create.ts'
import { deleteUser } from '../../flows/admin/delete.ts'
import { impersonateUser } from '../../flows/admin/impersonate.ts'
import { revokeUserSession, revokeUserSessions } from '../../flows/admin/revoke-sessions.ts'
import { rotateKeys } from '../../flows/admin/rotate-keys.ts'
import { searchUsers } from '../../flows/admin/search.ts'
import { sessionsOfUser } from '../../flows/admin/sessions.ts'
import { setUserPassword } from '../../flows/admin/set-password.ts'
import { setUserRoles } from '../../flows/admin/set-roles.ts'
import { stopImpersonating } from '../../flows/admin/stop-impersonating.ts'
import { unbanUser } from '../../flows/admin/unban.ts'
import { findUser } from '../../flows/admin/users.ts'
import { type AskEvents, actorOf, concernedOf, detailsOf } from '../../flows/audit/events.ts'
import { type Names, namesAmong, namesOfOrganizations, withNames } from '../../flows/audit/names.ts'
import { formOf } from '../../flows/form.ts'
import { toCliError } from '../../output/error-report.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { formFor } from '../forms/forms.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { banText } from '../text/ban-text.ts'
import { deviceOf } from '../text/session-text.ts'
import { actionItem, attempt, type Conversation, formItem, stay } from './conversation.ts'
import { choose, type MenuItem } from './menu.ts'

/** As many as a person may have read out to them at once. */
const most = 20

/** The users of the service, and what was done. */
export const administration = (conversation: Conversation): Promise<void> =>
  stay(conversation, () => administrationMenu(conversation))

function administrationMenu(conversation: Conversation): Promise<boolean> {
  const { store, terminal } = conversation
  const items = [
    { label: 'Users', run: () => users(conversation) },
    { label: 'Audit trail', run: () => trail(conversation, connectionOf(store).api.audit.listAuditEvents) },
    formItem(conversation, () => formFor(createUser, undefined)()),
    formItem(conversation, () => formFor(rotateKeys, undefined)()),
  ]
  return choose(terminal, items, 'Back')
}

/** The way back to oneself, while somebody acts as somebody else. */
export function stopItems(conversation: Conversation): readonly MenuItem[] {
  const { current } = conversation.store.state
  if (current?.impersonating === undefined) return []
  const run = async () => {
    const held = await conversation.store.accounts.impersonation(current)
    await actionItem(conversation, stopImpersonating, { subjects: [{ account: current, held }] }).run()
  }
  return [{ label: `${stopImpersonating.title} (${current.impersonating})`, run }]
}

async function users(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const text = await terminal.ask('A part of an address or a name; nothing for the newest:')
  const menu = async () => {
    const { users: found, total } = await searchUsers(connectionOf(store), text)
    const shown = found.slice(0, most)
    terminal.say(shown.length < total ? `${shown.length} of ${total} users.` : `${total} users.`)
    const items = shown.map((user) => ({ label: lineOf(user), run: () => oneUser(conversation, user.id) }))
    return choose(terminal, items, 'Back')
  }
  await attempt(conversation, () => stay(conversation, menu))
}

const lineOf = ({ email, name, role, banned }: FullUser): string =>
  `${name}, ${email}, ${roleText(role ?? ['no role'])}${banned ? ', banned' : ''}`

const oneUser = (conversation: Conversation, id: string): Promise<void> =>
  stay(conversation, () => userMenu(conversation, id))

async function userMenu(conversation: Conversation, id: string): Promise<boolean> {
  const { store, terminal } = conversation
  const user = await findUser(connectionOf(store), id).catch(unlessGone)
  // Deleted, here or meanwhile.
  if (!user) return false
  terminal.say(`${lineOf(user)}. Since ${relativeTime(user.createdAt, Date.now())}. Id ${user.id}.`)
  if (user.banned) terminal.say(`Banned: ${banText(user)}.`)
  return choose(terminal, itemsOf(conversation, user), 'Back')
}

function unlessGone(error: unknown): undefined {
  if (toCliError(error).exitCode !== exitCodes.notFound) throw error
}

function itemsOf(conversation: Conversation, user: FullUser): readonly MenuItem[] {
  const about = { subjects: [user], view: { me: conversation.store.state.me?.user } }
  const { api } = connectionOf(conversation.store)
  return [
    { label: 'Sessions', run: () => sessions(conversation, user) },
    {
      label: 'Audit trail',
      run: () => trail(conversation, (query) => api.audit.listAuditEvents({ ...query, userId: user.id })),
    },
    user.banned ? actionItem(conversation, unbanUser, about) : formItem(conversation, () => formOf(banUser, about)),
    formItem(conversation, () => formOf(setUserRoles, about)),
    formItem(conversation, () => formOf(setUserPassword, about)),
    actionItem(conversation, impersonateUser, about),
    actionItem(conversation, deleteUser, about),
  ]
}

const sessions = (conversation: Conversation, user: FullUser): Promise<void> =>
  stay(conversation, () => sessionsMenu(conversation, user))

async function sessionsMenu(conversation: Conversation, user: FullUser): Promise<boolean> {
  const { store, terminal } = conversation
  const list = await sessionsOfUser(connectionOf(store), user)
  terminal.say(list.length === 1 ? '1 session.' : `${list.length} sessions.`)
  const items = list.map((session) =>
    actionItem(conversation, revokeUserSession, {
      subjects: [{ user, session }],
      label: `Revoke ${sessionLine(session)}`,
    }),
  )
  return choose(terminal, [...items, actionItem(conversation, revokeUserSessions, { subjects: [user] })], 'Back')
}

const sessionLine = (session: Session): string =>
  `${deviceOf(session)}, address ${session.ipAddress ?? 'unknown'}, updated ${relativeTime(session.updatedAt, Date.now())}`

/** The last events of some part of the trail, newest first. */
export async function trail(
  { terminal, ...conversation }: Conversation,
  ask: AskEvents,
  names: Names = new Map(),
): Promise<void> {
  await attempt({ terminal, ...conversation }, async () => {
    const { events } = await ask({ limit: String(most) })
    terminal.say(events.length === 0 ? 'No events.' : `The last ${events.length}, newest first.`)
    const mine = namesOfOrganizations(conversation.store.state.organizations ?? [])
    const known: Names = new Map([...namesAmong(events), ...mine, ...names])
    for (const event of events.map((one) => withNames(one, known))) {
      const about = concernedOf(event)
      const parts = [`${event.event}, by ${actorOf(event)}`, about && `about ${about}`, detailsOf(event)]
      terminal.say(`${parts.filter(Boolean).join(', ')}, ${relativeTime(event.createdAt, Date.now())}.`)
    }
  })
}
