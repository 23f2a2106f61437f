import type { Organization } from '../../../shared/organization.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { connectionOf, sendVerification } from '../acts.ts'
import { activeOrganization, type DeskState } from '../desk.ts'
import { faultOf } from '../fault.ts'
import { acceptInvitation, rejectInvitation } from '../organizations/invitation-acts.ts'
import {
  deleteOrganization,
  leaveOrganization,
  switchOrganization,
  titleOf,
  workInNone,
} from '../organizations/organization-acts.ts'
import { organizationValues } from '../organizations/organization-forms.ts'
import {
  lacks,
  loadOrganization,
  needsVerification,
  type OrganizationView,
  permissionsOf,
} from '../organizations/view.ts'
import { attempt, type Front, formItem, itemOf } from './flows.ts'
import { choose, type Item } from './menu.ts'
import { invitationItems, memberItems, teamItems } from './organization-parts.ts'

/** My organizations, and the way to a new one. */
export async function organizations(front: Front): Promise<void> {
  const { state } = front.desk
  const mine = state.organizations ?? []
  front.talk.say(mine.length === 1 ? '1 organization.' : `${mine.length} organizations.`)
  const items = mine.map((organization) => ({
    label: `${titleOf(organization)}${organization === activeOrganization(state) ? ', the active one' : ''}`,
    run: () => oneOrganization(front, organization),
  }))
  const none = activeOrganization(state) ? [itemOf(front, workInNone, [null])] : []
  await choose(front.talk, [...items, formItem(front, 'create-organization'), ...none], 'Back')
}

const isMine = ({ organizations: mine }: DeskState, id: string): boolean => mine?.some((one) => one.id === id) ?? false

/** Again and again, as long as the person stays and it is theirs. */
async function oneOrganization(front: Front, { id }: Organization): Promise<void> {
  await attempt(front, async () => {
    while (isMine(front.desk.state, id)) {
      const view = await read(front, id)
      front.talk.say(`${titleOf(view.organization)}. Your role: ${roleText(view.self?.role ?? ['none'])}.`)
      if (!(await choose(front.talk, itemsOf(front, view), 'Back'))) return
      await front.desk.load()
    }
  })
}

const read = ({ desk }: Front, id: string): Promise<OrganizationView> =>
  loadOrganization(connectionOf(desk), id, desk.state.me?.user.id)

function itemsOf(front: Front, view: OrganizationView): readonly Item[] {
  const { organization } = view
  const part = (label: string, items: (front: Front, view: OrganizationView) => readonly Item[]): Item => ({
    label,
    run: async () => void (await choose(front.talk, items(front, view), 'Back')),
  })
  const edit = { values: organizationValues(organization), refusal: lacks(view, 'organization:update') }
  return [
    part(`Members, ${organization.members.length}`, memberItems),
    part(`Invitations, ${organization.invitations.length}`, invitationItems),
    part(`Teams, ${organization.teams?.length ?? 'none at this service'}`, teamItems),
    { label: 'Roles', run: async () => roles(front, view) },
    itemOf(front, switchOrganization, [organization]),
    formItem(front, 'edit-organization', edit),
    itemOf(front, leaveOrganization(view), [organization]),
    itemOf(front, deleteOrganization(view), [organization]),
  ]
}

function roles({ talk }: Front, view: OrganizationView): void {
  for (const role of Object.keys(view.roles)) talk.say(`${role}: ${permissionsOf(view, role)}`)
}

/** What waits for me, in any organization. */
export async function invitations(front: Front): Promise<void> {
  const { desk, talk } = front
  await attempt(front, async () => {
    const mine = await connectionOf(desk).api.invitation.listUserInvitations().catch(hidden)
    if (mine === 'hidden') return verify(front)
    talk.say(mine.length === 1 ? '1 invitation.' : `${mine.length} invitations.`)
    const items = mine.flatMap((invitation) => {
      const { organizationName, role, inviterEmail, expiresAt } = invitation
      const what = `${organizationName}, as ${roleText(role)}, from ${inviterEmail}`
      const ends = relativeTime(expiresAt, Date.now())
      return [
        itemOf(front, acceptInvitation, [invitation], `Accept ${what}, ends ${ends}`),
        itemOf(front, rejectInvitation, [invitation], `Reject ${what}`),
      ]
    })
    await choose(talk, items, 'Back')
  })
}

function hidden(error: unknown): 'hidden' {
  if (needsVerification(faultOf(error))) return 'hidden'
  throw error
}

async function verify(front: Front): Promise<void> {
  const { talk, desk } = front
  talk.say('Invitations are shown once your address is verified.')
  const user = desk.state.me?.user
  await choose(
    talk,
    [...(user ? [itemOf(front, sendVerification, [user])] : []), formItem(front, 'verify-email')],
    'Back',
  )
}
