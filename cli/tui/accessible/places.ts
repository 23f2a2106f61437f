import type { FullUser } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { searchUsers } from '../../flows/admin/list.ts'
import { users } from '../../flows/admin/resource.ts'
import { findUser } from '../../flows/admin/users.ts'
import { invitations } from '../../flows/invitation/resource.ts'
import { keys, ownKeys, readKeys, readOwnKeys } from '../../flows/key/resource.ts'
import { links, readLinks } from '../../flows/link/resource.ts'
import { members } from '../../flows/member/resource.ts'
import { organizationTitle } from '../../flows/org/organizations.ts'
import { switchOrganization } from '../../flows/org/own-acts.ts'
import { organizationSettings, organizations } from '../../flows/org/resource.ts'
import { loadOrganization, type OrganizationView, waitingOf, whyNotSeeKeys } from '../../flows/org/view.ts'
import type { Opening, OpenScreen, Resource } from '../../flows/resource.ts'
import { roles } from '../../flows/role/resource.ts'
import { readUserSessions, sessions, userSessions } from '../../flows/session/resource.ts'
import { ownSessions } from '../../flows/session/sessions.ts'
import { teamIn, teamMembers, teams } from '../../flows/team/resource.ts'
import { readTrusts, trusts } from '../../flows/trust/resource.ts'
import { toCliError } from '../../output/error-report.ts'
import { roleText } from '../../output/words.ts'
import { type AppState, activeOrganization } from '../state/app-state.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { actionItem, attempt, type Conversation, stay } from './conversation.ts'
import { choose, type MenuItem } from './menu.ts'
import { actItems, most, oneThing, trail, walk } from './resources.ts'

type Place = (conversation: Conversation, opening: Opening) => Promise<void>

/** The parts of the conversation that match a screen. */
const places: Readonly<Partial<Record<OpenScreen, Place>>> = {
  organization: (conversation, { subject = '' }) => oneOrganization(conversation, subject),
  team: (conversation, { subject = '', organizationId = '' }) => teamOf(conversation, organizationId, subject),
  member: (conversation, { subject, organizationId = '' }) => memberOf(conversation, organizationId, subject),
  trusts: (conversation, { organizationId = '' }) => trustsOf(conversation, organizationId),
  user: (conversation, { subject = '' }) => oneUser(conversation, subject),
  'user-sessions': (conversation, { subject = '' }) => sessionsOf(conversation, subject),
  trail: async (conversation, opening) => {
    if (opening.trail)
      await trail(conversation, opening.trail.ask(connectionOf(conversation.store)), opening.trail.names)
  },
}

const enter: Place = async (conversation, opening) => places[opening.screen]?.(conversation, opening)

const me = ({ store }: Conversation): FullUser | undefined => store.state.me?.user

export const ownSessionsPlace = (conversation: Conversation): Promise<void> =>
  walk(conversation, {
    resource: sessions,
    enter,
    read: async () => ({ sessions: await ownSessions(connectionOf(conversation.store)), user: me(conversation) }),
  })

export const ownKeysPlace = (conversation: Conversation): Promise<void> =>
  walk(conversation, {
    resource: ownKeys,
    enter,
    read: () => readOwnKeys(connectionOf(conversation.store)),
  })

export const linksPlace = (conversation: Conversation): Promise<void> =>
  walk(conversation, {
    resource: links,
    enter,
    read: () => readLinks(connectionOf(conversation.store)),
  })

/** The user's organizations, and the action to create one. */
export async function organizationsPlace(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  if (!store.state.organizations) return terminal.say('The service could not be asked for your organizations.')
  const read = async () => ({
    organizations: store.state.organizations ?? [],
    active: activeOrganization(store.state),
  })
  await walk(conversation, { resource: organizations, enter, read, isEntered: true })
}

const isMine = ({ organizations: mine }: AppState, id: string): boolean => mine?.some((one) => one.id === id) ?? false

const readOrganization = ({ store }: Conversation, id: string): Promise<OrganizationView> =>
  loadOrganization(connectionOf(store), id, store.state.me?.user.id)

/** Repeats the organization's menu until the user leaves it or loses access. */
async function oneOrganization(conversation: Conversation, id: string): Promise<void> {
  const { store, terminal } = conversation
  await attempt(conversation, async () => {
    while (isMine(store.state, id)) {
      const view = await readOrganization(conversation, id)
      terminal.say(`${organizationTitle(view.organization)}. Your role: ${roleText(view.self?.role ?? ['none'])}.`)
      if (!(await choose(terminal, partsOf(conversation, view), 'Back'))) return
      await store.load()
    }
  })
}

function partsOf(conversation: Conversation, view: OrganizationView): readonly MenuItem[] {
  const { organization } = view
  const { members: all, invitations: sent, teams: some } = organization
  const part = <T extends object>(label: string, resource: Resource<T, OrganizationView>): MenuItem => ({
    label,
    run: () => walkIn(conversation, resource, view),
  })
  const disabledReason = whyNotSeeKeys(view)
  return [
    part(`Members, ${all.length}`, members),
    part(`Invitations, ${waitingOf(sent).length}`, invitations),
    part(`Teams, ${some?.length ?? 'none at this service'}`, teams),
    part('Roles', roles),
    { label: 'Keys for machines', disabledReason, run: () => keysOf(conversation, view) },
    actionItem(conversation, switchOrganization, { subjects: [organization] }),
    ...actItems(conversation, { resource: organizationSettings, enter }, { chosen: [organization], view }),
  ]
}

/** One part of an organization, read again after each action while the user has access. */
async function walkIn<T extends object>(
  conversation: Conversation,
  resource: Resource<T, OrganizationView>,
  view: OrganizationView,
): Promise<void> {
  let known: OrganizationView | undefined = view
  const read = async () => {
    const now = known ?? (await readOrganization(conversation, view.organization.id))
    known = undefined
    return now
  }
  const isThere = () => isMine(conversation.store.state, view.organization.id)
  await walk(conversation, { resource, enter, read, isThere })
}

const keysOf = (conversation: Conversation, within: OrganizationView): Promise<void> =>
  walk(conversation, {
    resource: keys,
    enter,
    read: async () => ({ keys: await readKeys(connectionOf(conversation.store), within.organization.id), within }),
  })

const trustsOf = (conversation: Conversation, organizationId: string): Promise<void> =>
  walk(conversation, {
    resource: trusts,
    enter,
    read: () => readTrusts(connectionOf(conversation.store), organizationId, me(conversation)?.id),
  })

async function teamOf(conversation: Conversation, organizationId: string, id: string): Promise<void> {
  const read = async () => teamIn(await readOrganization(conversation, organizationId), id)
  await walk(conversation, { resource: teamMembers, enter, read })
}

async function memberOf(conversation: Conversation, organizationId: string, id: string | undefined): Promise<void> {
  const view = await readOrganization(conversation, organizationId)
  const one = members.of(view).find((member) => member.id === id)
  if (one) await oneThing(conversation, { resource: members, enter }, { one, view })
}

/** The users of the service, and the audit trail. */
export const administration = (conversation: Conversation): Promise<void> =>
  stay(conversation, () => {
    const view = { users: [], total: 0, me: me(conversation) }
    const ofPlace = actItems(conversation, { resource: users, enter }, { chosen: [], view })
    return choose(conversation.terminal, [{ label: 'Users', run: () => usersPlace(conversation) }, ...ofPlace], 'Back')
  })

async function usersPlace(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const text = await terminal.ask('A part of an address or a name; nothing for the newest:')
  const read = async () => {
    const { users: found, total } = await searchUsers(connectionOf(store), text)
    return { users: found.slice(0, most), total, me: me(conversation) }
  }
  await walk(conversation, { resource: users, enter, read, isEntered: true })
}

const oneUser = (conversation: Conversation, id: string): Promise<void> =>
  stay(conversation, async () => {
    const found = await findUser(connectionOf(conversation.store), id).catch(unlessGone)
    // The user was deleted, here or elsewhere.
    if (!found) return false
    const view = { users: [found], total: 1, me: me(conversation) }
    const [one] = users.of(view)
    return one !== undefined && oneThing(conversation, { resource: users, enter }, { one, view })
  })

function unlessGone(error: unknown): undefined {
  if (toCliError(error).exitCode !== exitCodes.notFound) throw error
}

const sessionsOf = (conversation: Conversation, userId: string): Promise<void> =>
  walk(conversation, {
    resource: userSessions,
    enter,
    read: () => readUserSessions(connectionOf(conversation.store), userId),
  })

/** The action that stops impersonating, while it is active. */
export function stopItems(conversation: Conversation): readonly MenuItem[] {
  const { current } = conversation.store.state
  if (current?.impersonating === undefined) return []
  const run = async () => {
    const held = await conversation.store.accounts.impersonation(current)
    await actionItem(conversation, stopImpersonating, { subjects: [{ account: current, held }] }).run()
  }
  return [{ label: `${stopImpersonating.title} (${current.impersonating})`, run }]
}
