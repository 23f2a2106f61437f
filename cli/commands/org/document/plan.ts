import { isDeepStrictEqual } from 'node:util'
import { sameWords } from '../../../output/words.ts'
import {
  type CurrentOrganization,
  type CurrentPerson,
  type CurrentRole,
  compareByEmail,
  compareByName,
  compareText,
  type DesiredPerson,
  desiredPeople,
} from './current.ts'
import type { PersonTeams } from './person-teams.ts'
import type { OrganizationDocument } from './schema.ts'
import { teamRenames, withRenames } from './team-renames.ts'

/** Fields to change; an absent field stays. */
export interface OrganizationChange {
  readonly name?: string | undefined
  readonly logo?: string | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
  readonly fields?: Record<string, unknown> | undefined
}

/**
 * What to do about one item. `name`: the slug, the name of the role or team, or the address. `none`: nothing has to
 * change. `was`: the present state, if there is one.
 */
export type Step =
  | {
      readonly kind: 'organization'
      readonly name: string
      readonly action: 'create' | 'update' | 'none'
      readonly change: OrganizationChange
      readonly was?: CurrentOrganization['organization']
    }
  | {
      readonly kind: 'role'
      readonly name: string
      readonly action: 'create' | 'update' | 'delete' | 'none'
      readonly permissions: readonly string[]
      readonly was?: CurrentRole
    }
  | { readonly kind: 'team'; readonly name: string; readonly action: 'create' | 'delete' | 'none' }
  | { readonly kind: 'team'; readonly name: string; readonly action: 'rename'; readonly from: string }
  | {
      readonly kind: 'member'
      readonly name: string
      readonly action: 'update' | 'delete' | 'none'
      /** Unchanged if absent. */
      readonly roles?: readonly string[]
      readonly team?: PersonTeams
      readonly was: CurrentPerson
    }
  | {
      readonly kind: 'invitation'
      readonly name: string
      readonly action: 'invite' | 'resend' | 'delete' | 'none'
      readonly roles: readonly string[]
      readonly team: PersonTeams
      readonly was?: CurrentPerson
    }

export interface PlanOptions {
  /** Also remove items that the document does not list, in the sections that it has. */
  readonly prune: boolean
  /** Address of the person who applies the document. Steps that take away their own rights come last. */
  readonly actor: string
  /** The roles of which one makes an owner; empty if that is unknown. */
  readonly ownerRoles: readonly string[]
}

/**
 * The steps that turn the current organization into the documented one. A new one starts from `newOrganization`.
 */
export function plan(current: CurrentOrganization | null, wanted: OrganizationDocument, options: PlanOptions): Step[] {
  const { prune, actor, ownerRoles } = options
  const present = current ?? newOrganization(wanted, options)
  const base = withRenames(present, wanted)
  const members = memberSteps(base, desiredPeople(wanted), ownerRoles)
  const removed = prune ? removals(base, wanted) : []
  const people = [...members, ...invitationSteps(base, desiredPeople(wanted))]
  const parts = [...roleSteps(base, wanted), ...teamSteps(present, wanted)]
  const steps = [organizationStep(current, wanted), ...parts, ...people, ...removed]
  return ownLast(steps, actor, present)
}

/**
 * What takes rights away from the actor comes last. The service keeps a role that somebody has, so the roles that the
 * actor gives up are deleted after that, and narrowed before, while they count. The actor's other roles are narrowed
 * at the end, the one that allows it last.
 */
function ownLast(steps: readonly Step[], actor: string, { members }: CurrentOrganization): Step[] {
  const own = steps.find(
    (step) => step.kind === 'member' && step.name === actor && (step.action === 'delete' || step.roles),
  )
  const held = members.find(({ email }) => email === actor)?.roles ?? []
  const kept = own?.action === 'delete' ? [] : (own && 'roles' in own && own.roles) || held
  const rankOf = (step: Step): number => {
    if (step === own) return 2
    if (step.kind !== 'role' || !held.includes(step.name)) return 0
    if (step.action === 'delete') return 3
    const lost = (step.was?.permissions ?? []).filter((permission) => !step.permissions.includes(permission))
    if (lost.length === 0) return 0
    if (!kept.includes(step.name)) return 1
    return lost.includes('ac:update') ? 5 : 4
  }
  return steps.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** Items that the document does not list: kept, or removed with `prune`. */
export function removals(current: CurrentOrganization, wanted: OrganizationDocument): Step[] {
  const { roles, teams, members, invitations } = withRenames(current, wanted)
  const listed = new Set(desiredPeople(wanted).map(({ email }) => email))
  const joined = new Set(members.map(({ email }) => email))
  const names = wanted.teams?.map(({ name }) => name)
  const goneTeams = names ? (teams ?? []).filter((name) => !names.includes(name)) : []
  return [
    ...(wanted.invitations ? invitations : [])
      .filter(({ email }) => !listed.has(email) || joined.has(email))
      .toSorted(compareByEmail)
      .map((was) => ({ ...was, kind: 'invitation', name: was.email, action: 'delete', was }) as const),
    ...(wanted.members ? members : [])
      .filter(({ email }) => !listed.has(email))
      .toSorted(compareByEmail)
      .map((was) => ({ kind: 'member', name: was.email, action: 'delete', was }) as const),
    ...goneTeams.toSorted(compareText).map((name) => ({ kind: 'team', name, action: 'delete' }) as const),
    ...(wanted.roles ? roles : [])
      .filter(({ name }) => !wanted.roles?.some((role) => role.name === name))
      .toSorted(compareByName)
      .map((was) => ({ kind: 'role', action: 'delete', ...was, was }) as const),
  ]
}

/**
 * An organization right after its creation: the creator is the owner, and `` stands for the team that the service might
 * have created.
 */
export const newOrganization = (
  { organization }: OrganizationDocument,
  { actor, ownerRoles }: Pick<PlanOptions, 'actor' | 'ownerRoles'>,
): CurrentOrganization => ({
  organization: {
    ...organization,
    logo: organization.logo ?? null,
    metadata: organization.metadata ?? null,
    fields: organization.fields ?? {},
  },
  roles: [],
  teams: [],
  members: [{ email: actor, roles: ownerRoles, team: '' }],
  invitations: [],
})

function organizationStep(current: CurrentOrganization | null, { organization }: OrganizationDocument): Step {
  const { slug, fields = {}, ...named } = organization
  const own = current ? differing(fields, current.organization.fields) : fields
  const rest = current ? differing(named, current.organization) : named
  const change: OrganizationChange = { ...rest, ...(Object.keys(own).length > 0 && { fields: own }) }
  if (!current) return { kind: 'organization', name: slug, action: 'create', change }
  const action = Object.keys(change).length > 0 ? 'update' : 'none'
  return { kind: 'organization', name: slug, action, change, was: current.organization }
}

/** The members that are given and not what they are at present. A missing one is as good as null. */
const differing = (wanted: object, present: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([key, value]) => value !== undefined && !isDeepStrictEqual(value, Reflect.get(present, key) ?? null),
    ),
  )

/** Before the people who get them. */
function roleSteps({ roles }: CurrentOrganization, wanted: OrganizationDocument): Step[] {
  return (wanted.roles ?? []).toSorted(compareByName).map(({ name, permissions }) => {
    const was = roles.find((role) => role.name === name)
    const action = !was ? 'create' : sameWords(permissions, was.permissions) ? 'none' : 'update'
    return { kind: 'role', name, action, permissions, ...(was && { was }) }
  })
}

/** Renames come first, so that a new team can have the name of a renamed one. */
function teamSteps(current: CurrentOrganization, wanted: OrganizationDocument): Step[] {
  const renames = teamRenames(current, wanted)
  const renamed = [...renames.values()]
  const others = (wanted.teams ?? []).map(({ name }) => name).filter((name) => !renamed.includes(name))
  return [
    ...[...renames].map(([from, name]) => ({ kind: 'team', name, action: 'rename', from }) as const),
    ...others
      .toSorted(compareText)
      .map((name) => ({ kind: 'team', name, action: current.teams?.includes(name) ? 'none' : 'create' }) as const),
  ]
}

/** New owners come first, because a present owner could be about to lose that role. */
function memberSteps(
  { members }: CurrentOrganization,
  wanted: readonly DesiredPerson[],
  ownerRoles: readonly string[],
): Step[] {
  const steps = wanted.flatMap(({ email, roles, team }): Step[] => {
    const member = members.find((one) => one.email === email)
    if (!member) return []
    const change = {
      ...(!sameWords(member.roles, roles) && { roles }),
      ...(team !== undefined && !isDeepStrictEqual(team, member.team) && { team }),
    }
    return [
      {
        kind: 'member',
        name: email,
        action: Object.keys(change).length > 0 ? 'update' : 'none',
        ...change,
        was: member,
      },
    ]
  })
  const isPromotion = (step: Step) => step.kind === 'member' && step.roles?.some((role) => ownerRoles.includes(role))
  return [...steps.filter(isPromotion), ...steps.filter((step) => !isPromotion(step))]
}

function invitationSteps({ members, invitations }: CurrentOrganization, wanted: readonly DesiredPerson[]): Step[] {
  const joined = new Set(members.map(({ email }) => email))
  const pending = new Map(invitations.map((invitation) => [invitation.email, invitation]))
  return wanted
    .filter(({ email }) => !joined.has(email))
    .map(({ email: name, roles, team: asked }) => {
      const invited = pending.get(name)
      const team = asked === undefined ? (invited?.team ?? null) : asked
      const isSame = invited !== undefined && sameWords(invited.roles, roles) && isDeepStrictEqual(invited.team, team)
      const action = isSame ? 'none' : invited ? 'resend' : 'invite'
      return { kind: 'invitation', name, action, roles, team, ...(invited && { was: invited }) }
    })
}
