import type { Team } from '../../../shared/organization.ts'
import type { OrganizationView } from '../../flows/org/view.ts'
import { visible } from '../../output/filter.ts'
import { connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'
import { type FieldPlan, type FormPlan, needed, textOf, type Values } from '../form-plan.ts'

const nameField: FieldPlan = { name: 'name', label: 'Name', problem: needed('A name') }

export const teamValues = ({ organization }: OrganizationView, team?: Team): Values => ({
  organizationId: organization.id,
  slug: organization.slug,
  ...(team ? { teamId: team.id, was: team.name, name: visible(team.name) } : {}),
})

export const createTeam: FormPlan = {
  title: 'Create a team',
  fields: [nameField],
  command: (values) =>
    commandLine('postern', 'team', 'create', textOf(values, 'name') || 'NAME', '--org', values['slug'] ?? 'ORG'),
  submit: async (desk, values) => {
    const { organizationId = '' } = values
    const { name } = await connectionOf(desk).api.team.createTeam({ name: textOf(values, 'name'), organizationId })
    return { sentence: `Created the team ${name}` }
  },
}

export const renameTeam: FormPlan = {
  title: 'Rename the team',
  fields: [nameField],
  command: ({ was = 'TEAM', slug = 'ORG', ...values }) =>
    commandLine('postern', 'team', 'edit', was, '--name', textOf(values, 'name') || 'NAME', '--org', slug),
  submit: async (desk, values) => {
    const { organizationId = '', teamId = '', was = '' } = values
    if (values['name'] === visible(was)) return { sentence: 'Nothing was changed' }
    const data = { name: textOf(values, 'name'), organizationId }
    const { name } = await connectionOf(desk).api.team.updateTeam({ teamId, data })
    return { sentence: `The team is called ${name} now` }
  },
}
