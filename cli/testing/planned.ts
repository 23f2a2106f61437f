import type { CurrentOrganization, CurrentPerson } from '../commands/org/document/current.ts'
import { type PersonTeams, personTeams, teamList } from '../commands/org/document/person-teams.ts'
import type { OrganizationChange, Step } from '../commands/org/document/plan.ts'

export const changes = (steps: readonly Step[]) =>
  steps.filter(({ action }) => action !== 'none').map(({ kind, name, action }) => `${kind} ${name} ${action}`)

/** What the steps make of it, were the service to take each. */
export function done(before: CurrentOrganization, steps: readonly Step[]): CurrentOrganization {
  const { organization, teams, members, invitations } = renamedBy(before, steps)
  const of = (kind: Step['kind']) => steps.filter((step) => step.kind === kind && step.action !== 'none')
  const gone = (kind: Step['kind']) =>
    of(kind)
      .filter(({ action }) => action === 'delete')
      .map(({ name }) => name)
  const changed = (email: string) =>
    Object.assign(
      {},
      ...of('member')
        .filter(({ name }) => name === email)
        .map((step) => ('roles' in step || 'team' in step ? pick(step) : {})),
    )
  const invited = steps.flatMap((step) =>
    step.kind === 'invitation' && (step.action === 'invite' || step.action === 'resend')
      ? [{ email: step.name, roles: step.roles, team: step.team }]
      : [],
  )
  const renewed = new Set([...invited.map(({ email }) => email), ...gone('invitation')])
  return {
    roles: before.roles,
    organization: steps.reduce((one, step) => ('change' in step ? changedBy(one, step.change) : one), organization),
    teams: [
      ...(teams ?? []).filter((name) => !gone('team').includes(name)),
      ...of('team')
        .filter(({ action }) => action === 'create')
        .map(({ name }) => name),
    ],
    members: members
      .filter(({ email }) => !gone('member').includes(email))
      .map((member) => ({ ...member, ...changed(member.email) })),
    invitations: [...invitations.filter(({ email }) => !renewed.has(email)), ...invited],
  }
}

const changedBy = (one: CurrentOrganization['organization'], { fields, ...change }: OrganizationChange) => ({
  ...one,
  ...(change as Partial<typeof one>),
  fields: { ...one.fields, ...fields },
})

function renamedBy(current: CurrentOrganization, steps: readonly Step[]): CurrentOrganization {
  const names = new Map(steps.flatMap((step) => (step.action === 'rename' ? [[step.from, step.name]] : [])))
  const renamed = (team: string) => names.get(team) ?? team
  const placed = (one: CurrentPerson) => ({ ...one, team: personTeams(teamList(one.team).map(renamed)) })
  return {
    ...current,
    teams: current.teams?.map(renamed) ?? null,
    members: current.members.map(placed),
    invitations: current.invitations.map(placed),
  }
}

const pick = (step: { roles?: readonly string[]; team?: PersonTeams }) => ({
  ...(step.roles && { roles: step.roles }),
  ...(step.team !== undefined && { team: step.team }),
})
