import { exitCodes } from '../../../../shared/exit-codes.ts'
import { CliError } from '../../../output/cli-error.ts'
import { newlyMade, type PlanOptions, plan, type Step } from './plan.ts'
import type { OrganizationDocument } from './schema.ts'
import { type CurrentOrganization, type CurrentPerson, wantedPeople } from './state.ts'

export interface CheckOptions extends PlanOptions {
  /** The roles that the service knows. */
  readonly roles: readonly string[]
}

/** Refuses, before anything is done, a document that cannot come true (exit 12) or would leave nobody as owner (exit 7). */
export function checkPossible(
  current: CurrentOrganization | null,
  wanted: OrganizationDocument,
  facts: CheckOptions,
): void {
  checkRoles(plan(current, wanted, facts), facts.roles)
  if (current?.teams === null && wanted.teams && wanted.teams.length > 0)
    throw new CliError(exitCodes.rejected, 'The document lists teams, and this service has none', {
      code: 'TEAMS_OFF',
      hint: 'Leave teams out of it',
    })
  if (hasOwner(current ?? newlyMade(wanted, facts), wanted, facts)) return
  throw new CliError(exitCodes.conflict, `The document would leave ${wanted.organization.name} without an owner`, {
    code: 'ONLY_OWNER',
    details: ['Somebody who is invited owns nothing yet: an owner has to be a member already'],
    hint: `List a member, ${facts.actor} perhaps, with the role ${facts.ownerRoles.join(' or ')}`,
  })
}

/** Roles that are to be given; one that somebody has already may stay, known or not. */
function checkRoles(steps: readonly Step[], known: readonly string[]): void {
  const lines = steps.flatMap((step) => {
    const given = (step.action !== 'none' && step.action !== 'delete' && 'roles' in step && step.roles) || []
    return given.filter((role) => !known.includes(role)).map((role) => `${step.name}: ${role}`)
  })
  if (lines.length === 0) return
  throw new CliError(exitCodes.rejected, 'The document gives roles that this service does not know', {
    code: 'ROLE_NOT_FOUND',
    details: lines.slice(0, 20),
    hint: `It knows ${known.join(', ')}`,
  })
}

/** Also true where nobody has one of these roles: then owners have another name, which the service alone knows. */
function hasOwner(
  { members }: CurrentOrganization,
  wanted: OrganizationDocument,
  { prune, ownerRoles }: PlanOptions,
): boolean {
  const people = new Map(wantedPeople(wanted).map((person) => [person.email, person.roles]))
  const isPruned = prune && wanted.members !== undefined
  const owns = (roles: readonly string[]) => roles.some((role) => ownerRoles.includes(role))
  const stays = ({ email, roles }: CurrentPerson) => owns(people.get(email) ?? (isPruned ? [] : roles))
  return members.some(stays) || !members.some(({ roles }) => owns(roles))
}
