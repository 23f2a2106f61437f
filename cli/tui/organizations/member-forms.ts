import { canonicalEmail } from '../../../shared/email.ts'
import type { MemberView } from '../../../shared/organization.ts'
import { rolesIn, textOfRoles } from '../../../shared/role-text.ts'
import { roleText } from '../../output/role-text.ts'
import { connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'
import { emailField, type FieldPlan, type FormPlan, type Option, textOf, type Values } from '../form-plan.ts'
import { isOwner, lastOwner, mustStayOwner, type OrganizationView, refuseGranting } from './view.ts'

/** Options travel with the values of a form: what they are is known where it is opened. */
const optionsIn = (name: string) => (values: Values) => JSON.parse(values[name] ?? '[]') as readonly Option[]

const rolesOf = (view: OrganizationView): string => {
  const options = Object.keys(view.roles).map((role) => ({
    id: role,
    label: role,
    refusal: refuseGranting(view, role),
  }))
  return JSON.stringify(options satisfies readonly Option[])
}

const roleField: FieldPlan = {
  name: 'role',
  label: 'Roles',
  options: optionsIn('roleOptions'),
  isSeveral: true,
  problem: (text, { mustOwn }) => {
    if (text === '') return 'At least one role is needed'
    return mustOwn && !isOwner(rolesIn(text)) ? `As for owner: ${lastOwner}` : undefined
  },
}

/** What the form of an invitation starts with. */
export const inviteValues = (view: OrganizationView): Values => {
  const { organization, roles } = view
  const teams: readonly Option[] = (organization.teams ?? []).map(({ id, name }) => ({ id, label: name }))
  return {
    organizationId: organization.id,
    slug: organization.slug,
    role: Object.hasOwn(roles, 'member') ? 'member' : '',
    roleOptions: rolesOf(view),
    teamOptions: JSON.stringify([{ id: '', label: 'none' }, ...teams]),
  }
}

export const invite: FormPlan = {
  title: 'Invite somebody',
  fields: [emailField, roleField, { name: 'teamId', label: 'Team', options: optionsIn('teamOptions') }],
  note: () => 'A mail tells them how to accept.',
  command: (values) => {
    const { teamId, role = '', slug = 'ORG' } = values
    const team = optionsIn('teamOptions')(values).find(({ id }) => id !== '' && id === teamId)
    const flags = ['--role', role || 'ROLE', ...(team ? ['--team', team.label] : []), '--org', slug]
    return commandLine('postern', 'invitation', 'create', textOf(values, 'email') || 'EMAIL', ...flags)
  },
  submit: async (desk, values) => {
    const { organizationId = '', role = '', teamId } = values
    const email = canonicalEmail(textOf(values, 'email'))
    const asked = { email, role, organizationId, ...(teamId ? { teamId } : {}) }
    await connectionOf(desk).api.invitation.inviteMember(asked)
    return { sentence: `Invited ${email} as ${roleText(rolesIn(role))}` }
  },
}

/** What the form of roles starts with, for one member or several. */
export const roleValues = (view: OrganizationView, members: readonly MemberView[]): Values => ({
  organizationId: view.organization.id,
  slug: view.organization.slug,
  memberIds: members.map(({ id }) => id).join(','),
  emails: members.map(({ user }) => user.email).join(' '),
  role: members.length === 1 ? textOfRoles(members[0]?.role ?? []) : '',
  roleOptions: rolesOf(view),
  ...(mustStayOwner(view, members) ? { mustOwn: 'yes' } : {}),
})

export const memberRoles: FormPlan = {
  title: 'Give other roles',
  fields: [roleField],
  note: () => 'The chosen roles take the place of those before.',
  command: ({ emails = 'USER', role = '', slug = 'ORG' }) =>
    emails
      .split(' ')
      .map((email) =>
        commandLine('postern', 'member', 'role', 'set', email, ...(role || 'ROLE').split(','), '--org', slug),
      )
      .join('; '),
  submit: async (desk, { memberIds = '', emails = '', organizationId = '', role = '' }) => {
    const { api } = connectionOf(desk)
    for (const memberId of memberIds.split(',')) await api.member.updateMemberRole({ memberId, role, organizationId })
    return { sentence: `${emails.replaceAll(' ', ', ')}: ${roleText(rolesIn(role))}` }
  },
}
