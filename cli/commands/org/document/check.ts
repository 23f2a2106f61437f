import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Roles } from '../../../../shared/permissions.ts'
import { isReservedRole } from '../../../../shared/role.ts'
import { CliError } from '../../../output/cli-error.ts'
import { type CurrentOrganization, type CurrentPerson, desiredPeople, type KnownMachine } from './current.ts'
import { checkOwnRights } from './own-rights.ts'
import { newOrganization, type PlanOptions, plan, type Step } from './plan.ts'
import type { OrganizationDocument } from './schema.ts'
import { checkRenames } from './team-renames.ts'

interface CheckOptions extends PlanOptions {
  /** The roles that the service gives the organization. */
  readonly serviceRoles: readonly string[]
  /** What each of its roles allows now, those of the service too. */
  readonly allowed: Roles
  /** Those of the current organization, which keep their roles. */
  readonly machines: readonly KnownMachine[]
}

/**
 * Refuses a document that cannot be carried out (exit 12), would leave no owner or two teams for one (exit 7), or takes
 * rights away that it still needs (exit 5), before anything is changed.
 */
export function checkPossible(
  current: CurrentOrganization | null,
  wanted: OrganizationDocument,
  facts: CheckOptions,
): void {
  const steps = plan(current, wanted, facts)
  checkRoleNames(steps, wanted, facts)
  checkRemovedRoles(steps, wanted, current, facts)
  checkOwnRights(steps, current, { ...facts, organization: wanted.organization.name })
  checkRoles(steps, wanted.organization.name, rolesAfter(current, wanted, facts))
  if (current?.teams === null && wanted.teams && wanted.teams.length > 0)
    throw new CliError(
      exitCodes.rejected,
      `The document of ${wanted.organization.name} lists teams, but this service has no teams`,
      {
        code: 'TEAMS_OFF',
        hint: 'Remove teams from the document',
      },
    )
  checkRenames(current ?? { teams: [] }, wanted)
  if (hasOwner(current ?? newOrganization(wanted, facts), wanted, facts)) return
  throw new CliError(exitCodes.conflict, `The document would leave ${wanted.organization.name} without an owner`, {
    code: 'ONLY_OWNER',
    details: ['An invitation does not make an owner yet: at least one current member must be an owner'],
    hint: `List a member, ${facts.actor} for example, with the role ${facts.ownerRoles.join(' or ')}`,
  })
}

/** An organization cannot make a role that the service has. One that it made before stays its own. */
function checkRoleNames(steps: readonly Step[], { organization }: OrganizationDocument, facts: CheckOptions): void {
  const roles = Object.fromEntries(facts.serviceRoles.map((role) => [role, true]))
  const taken = steps.filter(
    ({ kind, action, name }) => kind === 'role' && action === 'create' && isReservedRole(roles, name),
  )
  if (taken.length === 0) return
  throw new CliError(exitCodes.rejected, `The document of ${organization.name} defines roles that the service has`, {
    code: 'ROLE_NAME_IS_ALREADY_TAKEN',
    details: taken.map(({ name }) => name),
    hint: 'Give them another name in the document, and to those who have them',
  })
}

/**
 * The service keeps a role that somebody has. Without members or invitations in the document, those of now stay. An
 * actor who is to leave has the roles until then, and can remove none afterwards.
 */
function checkRemovedRoles(
  steps: readonly Step[],
  wanted: OrganizationDocument,
  current: CurrentOrganization | null,
  { actor, machines }: CheckOptions,
): void {
  const removed = new Set(
    steps.flatMap(({ kind, action, name }) => (kind === 'role' && action === 'delete' ? name : [])),
  )
  const listed = desiredPeople(wanted)
  const members = current?.members ?? []
  const kept = [
    ...(wanted.members ? members.filter(({ email }) => email === actor) : members).filter(
      ({ email }) => !listed.some((person) => person.email === email),
    ),
    ...invitationsLeft(steps, current),
  ]
  const people = [...listed, ...kept].map(({ email, roles }) => ({ name: email, roles }))
  const lines = [...people, ...machines].flatMap(({ name, roles }) =>
    roles.filter((role) => removed.has(role)).map((role) => `${name}: ${role}`),
  )
  if (lines.length === 0) return
  throw new CliError(exitCodes.conflict, `The document of ${wanted.organization.name} removes roles that are in use`, {
    code: 'ROLE_IS_ASSIGNED_TO_MEMBERS',
    details: lines.slice(0, 20),
    hint: 'List them under roles, or first give others to those who have them, and cancel the invitations',
  })
}

/** Those about which no step is: a member can have one from before, too. */
const invitationsLeft = (steps: readonly Step[], current: CurrentOrganization | null): readonly CurrentPerson[] =>
  (current?.invitations ?? [])
    .filter(({ email }) => !steps.some(({ kind, name }) => kind === 'invitation' && name === email))
    .map((invitation) => ({ ...invitation, email: `invitation of ${invitation.email}` }))

/** The roles that exist when people get them. */
const rolesAfter = (
  current: CurrentOrganization | null,
  { roles = [] }: OrganizationDocument,
  { serviceRoles }: CheckOptions,
): readonly string[] => [
  ...new Set([...serviceRoles, ...[...(current?.roles ?? []), ...roles].map(({ name }) => name)]),
]

/** Checks only newly granted roles. A person can keep the roles they have, even unknown ones. */
function checkRoles(steps: readonly Step[], name: string, known: readonly string[]): void {
  const lines = steps.flatMap((step) => {
    const given = (step.action !== 'none' && step.action !== 'delete' && 'roles' in step && step.roles) || []
    return given.filter((role) => !known.includes(role)).map((role) => `${step.name}: ${role}`)
  })
  if (lines.length === 0) return
  throw new CliError(exitCodes.rejected, `The document of ${name} uses roles that this service does not have`, {
    code: 'ROLE_NOT_FOUND',
    details: lines.slice(0, 20),
    hint: `Its roles: ${known.join(', ')}`,
  })
}

/** Also true if nobody has one of these roles: the owner role then has another name, which only the service knows. */
function hasOwner(
  { members }: CurrentOrganization,
  wanted: OrganizationDocument,
  { prune, ownerRoles }: PlanOptions,
): boolean {
  const people = new Map(desiredPeople(wanted).map((person) => [person.email, person.roles]))
  const isPruned = prune && wanted.members !== undefined
  const owns = (roles: readonly string[]) => roles.some((role) => ownerRoles.includes(role))
  const stays = ({ email, roles }: CurrentPerson) => owns(people.get(email) ?? (isPruned ? [] : roles))
  return members.some(stays) || !members.some(({ roles }) => owns(roles))
}
