import type { FullUser } from '../../../shared/entities.ts'
import { stopImpersonating } from '../../flows/admin/impersonate.ts'
import { pagedUsers } from '../../flows/admin/list.ts'
import { userDetails, userDetailsView, users, usersView } from '../../flows/admin/resource.ts'
import { readUserDetail } from '../../flows/admin/supported-user.ts'
import { events, trailView } from '../../flows/audit/resource.ts'
import type { Trail } from '../../flows/audit/trail.ts'
import { ifFound } from '../../flows/if-answered.ts'
import { invitations } from '../../flows/invitation/resource.ts'
import { keys, ownKeys, readKeys, readOwnKeys } from '../../flows/key/resource.ts'
import { links, readLinks } from '../../flows/link/resource.ts'
import { pagedMails } from '../../flows/mail/mails.ts'
import { mails, mailsView } from '../../flows/mail/resource.ts'
import { members, unseenMembers } from '../../flows/member/resource.ts'
import { loadUnseen } from '../../flows/member/unseen.ts'
import { organizationTitle } from '../../flows/org/organizations.ts'
import { switchOrganization } from '../../flows/org/own-acts.ts'
import { organizationSettings, organizations } from '../../flows/org/resource.ts'
import { loadOrganization, type OrganizationView, pendingInvitations, whyNotSeeKeys } from '../../flows/org/view.ts'
import type { OpenScreen, Resource, ScreenTarget } from '../../flows/resource.ts'
import { roles } from '../../flows/role/resource.ts'
import { readUserSessions, sessions, userSessions } from '../../flows/session/resource.ts'
import { ownSessions, sessionsView } from '../../flows/session/sessions.ts'
import { teamIn, teamMembers, teams } from '../../flows/team/resource.ts'
import { readTrusts, trusts } from '../../flows/trust/resource.ts'
import { readWebhooks, webhooks } from '../../flows/webhook/resource.ts'
import { countText, roleText } from '../../output/words.ts'
import { type AppState, activeOrganization } from '../state/app-state.ts'
import { connectionOf } from '../state/flow-context.ts'
import { attemptOrReport, type Conversation, flowItem, repeatMenu } from './conversation.ts'
import { chooseFromMenu, type MenuItem } from './menu.ts'
import { browsePages } from './pages.ts'
import { actionItems, browseResource, showItem } from './resources.ts'

type Place = (conversation: Conversation, opening: ScreenTarget) => Promise<void>

/** The parts of the conversation that match a screen. */
const places: Readonly<Partial<Record<OpenScreen, Place>>> = {
  organization: (conversation, { subject = '' }) => organizationMenu(conversation, subject),
  team: (conversation, { subject = '', organizationId = '' }) => teamOf(conversation, organizationId, subject),
  member: (conversation, { subject, organizationId = '' }) => memberOf(conversation, organizationId, subject),
  unseen: (conversation, { organizationId = '' }) => unseenOf(conversation, organizationId),
  trusts: (conversation, { organizationId = '' }) => trustsOf(conversation, organizationId),
  webhooks: (conversation, { organizationId }) => webhooksOf(conversation, organizationId),
  user: (conversation, { subject = '' }) => userMenu(conversation, subject),
  'user-sessions': (conversation, { subject = '' }) => sessionsOf(conversation, subject),
  mails: (conversation) => browseMails(conversation),
  trail: async (conversation, opening) => {
    if (opening.trail) await browseTrail(conversation, opening.trail)
  },
}

/** Opens the part that matches the screen, if there is one. */
export const openPlace: Place = async (conversation, opening) => places[opening.screen]?.(conversation, opening)

const me = ({ store }: Conversation): FullUser | undefined => store.state.me?.user

export const browseOwnSessions = (conversation: Conversation): Promise<void> =>
  browseResource(conversation, {
    resource: sessions,
    read: async () => sessionsView(await ownSessions(connectionOf(conversation.store)), me(conversation)),
  })

export const browseOwnKeys = (conversation: Conversation): Promise<void> =>
  browseResource(conversation, {
    resource: ownKeys,
    read: () => readOwnKeys(connectionOf(conversation.store)),
  })

export const browseLinks = (conversation: Conversation): Promise<void> =>
  browseResource(conversation, {
    resource: links,
    read: () => readLinks(connectionOf(conversation.store)),
  })

/** The user's organizations, and the action to create one. */
export async function browseOrganizations(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  await store.load()
  const { me: signedIn, organizations: known, shownError } = store.state
  // Home tells that the session is over.
  if (!signedIn) return
  if (!known || shownError) return terminal.say('Your organizations could not be loaded.')
  const read = async () => ({
    organizations: store.state.organizations ?? [],
    active: activeOrganization(store.state),
  })
  await browseResource(conversation, { resource: organizations, read, isEntered: true })
}

const isMine = ({ organizations: mine }: AppState, id: string): boolean => mine?.some((one) => one.id === id) ?? false

const readOrganization = ({ store }: Conversation, id: string): Promise<OrganizationView> =>
  loadOrganization(connectionOf(store), id, store.state.me?.session)

/** Repeats the organization's menu until the user leaves it or loses access. */
async function organizationMenu(conversation: Conversation, id: string): Promise<void> {
  const { store, terminal } = conversation
  await attemptOrReport(conversation, async () => {
    while (isMine(store.state, id)) {
      const view = await readOrganization(conversation, id)
      terminal.say(`${organizationTitle(view.organization)}. Your role: ${roleText(view.self?.role ?? ['none'])}.`)
      if (!(await chooseFromMenu(terminal, partsOf(conversation, view)))) return
      await store.load()
    }
  })
}

function partsOf(conversation: Conversation, view: OrganizationView): readonly MenuItem[] {
  const { organization } = view
  const { members: all, invitations: sent, teams: some } = organization
  const part = <T extends object>(label: string, resource: Resource<T, OrganizationView>): MenuItem => ({
    label,
    run: () => browsePart(conversation, resource, view),
  })
  const disabledReason = whyNotSeeKeys(view)
  return [
    part(`Members, ${countText(all.length)}`, members),
    part(`Invitations, ${countText(pendingInvitations(sent).length)}`, invitations),
    part(`Teams, ${some?.length ?? 'none at this service'}`, teams),
    part('Roles', roles),
    { label: 'Keys for machines', disabledReason, run: () => keysOf(conversation, view) },
    flowItem(conversation, switchOrganization, { subjects: [organization] }),
    ...actionItems(conversation, organizationSettings, { chosen: [organization], view }),
  ]
}

/** One part of an organization, read again after each action while the user has access. */
async function browsePart<T extends object>(
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
  await browseResource(conversation, { resource, read, isThere })
}

const keysOf = (conversation: Conversation, within: OrganizationView): Promise<void> =>
  browseResource(conversation, {
    resource: keys,
    read: async () => ({ keys: await readKeys(connectionOf(conversation.store), within.organization.id), within }),
  })

const trustsOf = (conversation: Conversation, organizationId: string): Promise<void> =>
  browseResource(conversation, {
    resource: trusts,
    read: () => readTrusts(connectionOf(conversation.store), organizationId, me(conversation)?.id),
  })

const webhooksOf = (conversation: Conversation, organizationId: string | undefined): Promise<void> =>
  browseResource(conversation, {
    resource: webhooks,
    read: () => readWebhooks(connectionOf(conversation.store), { organizationId, userId: me(conversation)?.id }),
  })

async function teamOf(conversation: Conversation, organizationId: string, id: string): Promise<void> {
  const read = async () => teamIn(await readOrganization(conversation, organizationId), id)
  await browseResource(conversation, { resource: teamMembers, read })
}

const unseenOf = (conversation: Conversation, organizationId: string): Promise<void> =>
  browseResource(conversation, {
    resource: unseenMembers,
    read: () => loadUnseen(connectionOf(conversation.store), organizationId, conversation.store.state.me?.session),
  })

async function memberOf(conversation: Conversation, organizationId: string, id: string | undefined): Promise<void> {
  const view = await readOrganization(conversation, organizationId)
  const one = members.of(view).find((member) => member.id === id)
  if (one) await showItem(conversation, members, { one, view })
}

/** The users of the service, and the audit trail. */
export const administrationMenu = (conversation: Conversation): Promise<void> =>
  repeatMenu(conversation, () => {
    const view = usersView({ items: [], total: 0 }, me(conversation))
    const ofPlace = actionItems(conversation, users, { chosen: [], view })
    return chooseFromMenu(conversation.terminal, [{ label: 'Users', run: () => browseUsers(conversation) }, ...ofPlace])
  })

const browseUsers = (conversation: Conversation): Promise<void> =>
  browsePages(conversation, pagedUsers, {
    resource: users,
    isEntered: true,
    question: 'Part of an address or name; nothing for the newest:',
    viewOf: (rows) => usersView(rows, me(conversation)),
  })

/** The events of a trail, narrowed by what they ask the service for. */
export async function browseTrail(conversation: Conversation, trail: Trail): Promise<void> {
  const { organizations: mine = [] } = conversation.store.state
  await browsePages(conversation, trail, {
    resource: events,
    question: `Filter by ${trail.terms.map((term) => `${term}:`).join(' ')}, such as event:sign-in since:7d; nothing for all:`,
    viewOf: ({ items }) => trailView(trail, items, { organizations: mine }),
  })
}

const userMenu = (conversation: Conversation, id: string): Promise<void> =>
  repeatMenu(conversation, async () => {
    const one = await ifFound(readUserDetail(connectionOf(conversation.store), id))
    // The user was deleted, here or elsewhere.
    if (!one) return false
    const view = userDetailsView(one, me(conversation))
    return showItem(conversation, userDetails, { one, view })
  })

const sessionsOf = (conversation: Conversation, userId: string): Promise<void> =>
  browseResource(conversation, {
    resource: userSessions,
    read: () => readUserSessions(connectionOf(conversation.store), userId),
  })

const browseMails = (conversation: Conversation): Promise<void> =>
  browsePages(conversation, pagedMails, {
    resource: mails,
    question: 'Filter by state: or user:, such as state:parked; nothing for all:',
    viewOf: mailsView,
  })

/** The action that stops impersonating, while it is active. */
export function stopImpersonatingItems(conversation: Conversation): readonly MenuItem[] {
  const { current } = conversation.store.state
  if (current?.impersonating === undefined) return []
  const run = async () => {
    const held = await conversation.store.accounts.impersonation(current)
    await flowItem(conversation, stopImpersonating, { subjects: [{ account: current, held }] }).run()
  }
  return [{ label: `${stopImpersonating.title} (${current.impersonating})`, run }]
}
