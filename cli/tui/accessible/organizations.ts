import type { Organization } from '../../../shared/organization.ts'
import { namesWithin } from '../../flows/audit/names.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { formOf } from '../../flows/form.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { createOrganization } from '../../flows/org/create.ts'
import { deleteOrganization } from '../../flows/org/delete.ts'
import { editOrganization } from '../../flows/org/edit.ts'
import { leaveOrganization } from '../../flows/org/leave.ts'
import { toOrganization } from '../../flows/org/organizations.ts'
import { organizationTitle } from '../../flows/org/titles.ts'
import { switchOrganization } from '../../flows/org/use.ts'
import {
  loadOrganization,
  type OrganizationView,
  permissionsOf,
  waitingOf,
  whyNotPermitted,
  whyNotSeeKeys,
} from '../../flows/org/view.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { formFor, verificationForm } from '../forms/forms.ts'
import { type AppState, activeOrganization } from '../state/app-state.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { needsVerification, toShownError } from '../text/shown-error.ts'
import { trail } from './administration.ts'
import { actionItem, attempt, type Conversation, formItem, stay } from './conversation.ts'
import { keys, trusts } from './keys.ts'
import { choose, type MenuItem } from './menu.ts'
import { invitationItems, memberItems, teamItems } from './organization-parts.ts'

const createForm = formFor(createOrganization, undefined)

/** My organizations, and the way to a new one. */
export const organizations = (conversation: Conversation): Promise<void> =>
  stay(conversation, () => organizationsMenu(conversation))

async function organizationsMenu(conversation: Conversation): Promise<boolean> {
  const { state } = conversation.store
  const mine = state.organizations
  if (!mine) {
    conversation.terminal.say('The service could not be asked for your organizations.')
    return false
  }
  conversation.terminal.say(mine.length === 1 ? '1 organization.' : `${mine.length} organizations.`)
  const items = mine.map((organization) => ({
    label: `${organizationTitle(organization)}${organization === activeOrganization(state) ? ', the active one' : ''}`,
    run: () => oneOrganization(conversation, organization),
  }))
  const none = activeOrganization(state)
    ? [actionItem(conversation, switchOrganization, { subjects: [null], label: 'Work in no organization' })]
    : []
  return choose(conversation.terminal, [...items, formItem(conversation, () => createForm()), ...none], 'Back')
}

const isMine = ({ organizations: mine }: AppState, id: string): boolean => mine?.some((one) => one.id === id) ?? false

/** Again and again, as long as the person stays and it is theirs. */
async function oneOrganization(conversation: Conversation, { id }: Organization): Promise<void> {
  await attempt(conversation, async () => {
    while (isMine(conversation.store.state, id)) {
      const view = await read(conversation, id)
      conversation.terminal.say(
        `${organizationTitle(view.organization)}. Your role: ${roleText(view.self?.role ?? ['none'])}.`,
      )
      if (!(await choose(conversation.terminal, itemsOf(conversation, view), 'Back'))) return
      await conversation.store.load()
    }
  })
}

const read = ({ store }: Conversation, id: string): Promise<OrganizationView> =>
  loadOrganization(connectionOf(store), id, store.state.me?.user.id)

function itemsOf(conversation: Conversation, view: OrganizationView): readonly MenuItem[] {
  const { organization } = view
  const part = (label: string, items: Items): MenuItem => ({
    label,
    run: () => onePart(conversation, view, items),
  })
  const subjects = [toOrganization(organization)]
  return [
    part(`Members, ${organization.members.length}`, memberItems),
    part(`Invitations, ${waitingOf(organization.invitations).length}`, invitationItems),
    part(`Teams, ${organization.teams?.length ?? 'none at this service'}`, teamItems),
    { label: 'Roles', run: async () => roles(conversation, view) },
    { label: 'Keys for machines', disabledReason: whyNotSeeKeys(view), run: () => keys(conversation, view) },
    {
      label: 'CI jobs that sign in without a key',
      disabledReason: whyNotSeeKeys(view),
      run: () => trusts(conversation, view),
    },
    {
      label: 'Activity',
      disabledReason: whyNotPermitted(view, 'organization:update'),
      run: () => activity(conversation, view),
    },
    actionItem(conversation, switchOrganization, { subjects }),
    formItem(conversation, () => formOf(editOrganization, { subjects, view })),
    actionItem(conversation, leaveOrganization, { subjects, view }),
    actionItem(conversation, deleteOrganization, { subjects, view }),
  ]
}

type Items = (conversation: Conversation, view: OrganizationView) => readonly MenuItem[]

/** A part of what was read; after each act there it is read again, as long as the organization is theirs. */
function onePart(conversation: Conversation, view: OrganizationView, items: Items): Promise<void> {
  const { id } = view.organization
  let known: OrganizationView | undefined = view
  return stay(conversation, async () => {
    const now: OrganizationView = known ?? (await read(conversation, id))
    known = undefined
    const isDone = await choose(conversation.terminal, items(conversation, now), 'Back')
    return isDone && isMine(conversation.store.state, id)
  })
}

function activity(conversation: Conversation, view: OrganizationView): Promise<void> {
  const { audit } = connectionOf(conversation.store).api
  const { id: organizationId } = view.organization
  return trail(conversation, (query) => audit.listOrganizationActivity({ ...query, organizationId }), namesWithin(view))
}

function roles({ terminal }: Conversation, view: OrganizationView): void {
  for (const role of Object.keys(view.roles)) terminal.say(`${role}: ${permissionsOf(view, role)}`)
}

/** What waits for me, in any organization. */
export async function invitations(conversation: Conversation): Promise<void> {
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
