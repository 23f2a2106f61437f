import type { Organization } from '../../../shared/organization.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { formOf } from '../../flows/form.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { createOrganization } from '../../flows/org/create.ts'
import { deleteOrganization } from '../../flows/org/delete.ts'
import { editOrganization } from '../../flows/org/edit.ts'
import { leaveOrganization } from '../../flows/org/leave.ts'
import { plain } from '../../flows/org/organizations.ts'
import { titleOf } from '../../flows/org/titles.ts'
import { switchOrganization } from '../../flows/org/use.ts'
import { loadOrganization, type OrganizationView, permissionsOf } from '../../flows/org/view.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { activeOrganization, type DeskState } from '../desk.ts'
import { faultOf, needsVerification } from '../fault.ts'
import { connectionOf } from '../flow-ports.ts'
import { formFor, verificationForm } from '../forms.ts'
import { attempt, type Front, formItem, itemOf } from './flows.ts'
import { choose, type Item } from './menu.ts'
import { invitationItems, memberItems, teamItems } from './organization-parts.ts'

const createForm = formFor(createOrganization, undefined)

/** My organizations, and the way to a new one. */
export async function organizations(front: Front): Promise<void> {
  const { state } = front.desk
  const mine = state.organizations ?? []
  front.talk.say(mine.length === 1 ? '1 organization.' : `${mine.length} organizations.`)
  const items = mine.map((organization) => ({
    label: `${titleOf(organization)}${organization === activeOrganization(state) ? ', the active one' : ''}`,
    run: () => oneOrganization(front, organization),
  }))
  const none = activeOrganization(state)
    ? [itemOf(front, switchOrganization, { subjects: [null], label: 'Work in no organization' })]
    : []
  await choose(front.talk, [...items, formItem(front, () => createForm()), ...none], 'Back')
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
  const subjects = [plain(organization)]
  return [
    part(`Members, ${organization.members.length}`, memberItems),
    part(`Invitations, ${organization.invitations.length}`, invitationItems),
    part(`Teams, ${organization.teams?.length ?? 'none at this service'}`, teamItems),
    { label: 'Roles', run: async () => roles(front, view) },
    itemOf(front, switchOrganization, { subjects }),
    formItem(front, () => formOf(editOrganization, { subjects, view })),
    itemOf(front, leaveOrganization, { subjects, view }),
    itemOf(front, deleteOrganization, { subjects, view }),
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
        itemOf(front, acceptInvitation, { subjects: [invitation], label: `Accept ${what}, ends ${ends}` }),
        itemOf(front, rejectInvitation, { subjects: [invitation], label: `Reject ${what}` }),
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
    [
      ...(user ? [itemOf(front, sendVerification, { subjects: [{ user }] })] : []),
      formItem(front, () => verificationForm()),
    ],
    'Back',
  )
}
