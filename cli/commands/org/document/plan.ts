import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../../context.ts'
import type { Column } from '../../../output/cell.ts'
import type { BulkResult } from '../../../output/out.ts'
import {
  type CurrentOrganization,
  compareByEmail,
  compareText,
  type DesiredPerson,
  desiredPeople,
  sameRoles,
} from './current.ts'
import type { OrganizationDocument } from './schema.ts'

/** Fields to change; an absent field stays. */
export interface OrganizationChange {
  readonly name?: string | undefined
  readonly logo?: string | null | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined
}

/** What to do about one item. `name`: the slug, the team's name or the address. `none`: nothing has to change. */
export type Step =
  | {
      readonly kind: 'organization'
      readonly name: string
      readonly action: 'create' | 'update' | 'none'
      readonly change: OrganizationChange
    }
  | { readonly kind: 'team'; readonly name: string; readonly action: 'create' | 'delete' | 'none' }
  | {
      readonly kind: 'member'
      readonly name: string
      readonly action: 'update' | 'delete' | 'none'
      /** Unchanged if absent. */
      readonly roles?: readonly string[]
      readonly team?: string | null
    }
  | {
      readonly kind: 'invitation'
      readonly name: string
      readonly action: 'invite' | 'resend' | 'delete' | 'none'
      readonly roles: readonly string[]
      readonly team: string | null
    }

export interface PlanOptions {
  /** Also remove items that the document does not list, in the sections that it has. */
  readonly prune: boolean
  /** Address of the person who applies the document. Steps that take away their own rights come last. */
  readonly actor: string
  /** The roles of which one makes an owner; empty if that is unknown. */
  readonly ownerRoles: readonly string[]
}

/** The steps that turn the current organization into the documented one. A new organization starts from `newlyMade`. */
export function plan(current: CurrentOrganization | null, wanted: OrganizationDocument, options: PlanOptions): Step[] {
  const { prune, actor, ownerRoles } = options
  const base = current ?? newOrganization(wanted, options)
  const members = memberSteps(base, desiredPeople(wanted), ownerRoles)
  const removed = prune ? removals(base, wanted) : []
  const isLast = (step: Step) =>
    step.kind === 'member' && step.name === actor && (step.action === 'delete' || step.roles)
  const people = [...members, ...invitationSteps(base, desiredPeople(wanted))]
  const steps = [organizationStep(current, wanted), ...teamSteps(base, wanted), ...people, ...removed]
  return [...steps.filter((step) => !isLast(step)), ...steps.filter(isLast)]
}

/** Items that the document does not list: kept, or removed with `prune`. */
export function removals({ teams, members, invitations }: CurrentOrganization, wanted: OrganizationDocument): Step[] {
  const listed = new Set(desiredPeople(wanted).map(({ email }) => email))
  const joined = new Set(members.map(({ email }) => email))
  const names = wanted.teams?.map(({ name }) => name)
  const goneTeams = names ? (teams ?? []).filter((name) => !names.includes(name)) : []
  return [
    ...(wanted.invitations ? invitations : [])
      .filter(({ email }) => !listed.has(email) || joined.has(email))
      .toSorted(compareByEmail)
      .map(({ email: name, roles, team }) => ({ kind: 'invitation', name, action: 'delete', roles, team }) as const),
    ...(wanted.members ? members : [])
      .filter(({ email }) => !listed.has(email))
      .toSorted(compareByEmail)
      .map(({ email: name }) => ({ kind: 'member', name, action: 'delete' }) as const),
    ...goneTeams.toSorted(compareText).map((name) => ({ kind: 'team', name, action: 'delete' }) as const),
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
  organization: { ...organization, logo: organization.logo ?? null, metadata: organization.metadata ?? null },
  teams: [],
  members: [{ email: actor, roles: ownerRoles, team: '' }],
  invitations: [],
})

function organizationStep(current: CurrentOrganization | null, { organization }: OrganizationDocument): Step {
  const { slug, ...wanted } = organization
  if (!current) return { kind: 'organization', name: slug, action: 'create', change: wanted }
  const differs = ([key, value]: [string, unknown]) =>
    value !== undefined && !isDeepStrictEqual(value, Reflect.get(current.organization, key))
  const change: OrganizationChange = Object.fromEntries(Object.entries(wanted).filter(differs))
  return { kind: 'organization', name: slug, action: Object.keys(change).length > 0 ? 'update' : 'none', change }
}

const teamSteps = ({ teams }: CurrentOrganization, wanted: OrganizationDocument): Step[] =>
  (wanted.teams ?? [])
    .map(({ name }) => name)
    .toSorted(compareText)
    .map((name) => ({ kind: 'team', name, action: teams?.includes(name) ? 'none' : 'create' }))

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
      ...(!sameRoles(member.roles, roles) && { roles }),
      ...(team !== undefined && team !== member.team && { team }),
    }
    return [{ kind: 'member', name: email, action: Object.keys(change).length > 0 ? 'update' : 'none', ...change }]
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
      const isSame = invited !== undefined && sameRoles(invited.roles, roles) && invited.team === team
      return { kind: 'invitation', name, action: isSame ? 'none' : invited ? 'resend' : 'invite', roles, team }
    })
}

/** The result of a step, planned or done. `input`: the slug, the team's name or the address. */
export interface StepRow extends BulkResult {
  readonly kind: Step['kind']
  readonly action: Step['action']
  /** For people: `roles admin, member`, `team Ops`. */
  readonly changes: readonly string[]
}

export function rowOf(step: Step, status: string, error: BulkResult['error'] = null): StepRow {
  const { kind, name: input, action } = step
  return { input, kind, action, changes: changesOf(step), status, error }
}

/** `invite bo@example.com (roles member)` */
export function sentenceOf(step: Step): string {
  const changes = changesOf(step).join(', ')
  const thing = step.kind === 'member' || step.kind === 'invitation' ? step.name : `${step.kind} ${step.name}`
  return `${step.action} ${thing}${changes === '' ? '' : ` (${changes})`}`
}

function changesOf(step: Step): string[] {
  if (step.action === 'none' || step.action === 'delete' || step.kind === 'team') return []
  if (step.kind === 'organization') return Object.entries(step.change).flatMap(([key, value]) => partOf(key, value))
  return [
    ...(step.roles ? [`roles ${step.roles.join(', ')}`] : []),
    ...(step.team ? [`team ${step.team}`] : []),
    ...(step.kind === 'member' && step.team === null ? ['no team'] : []),
  ]
}

const partOf = (key: string, value: unknown): string[] => {
  if (value === undefined) return []
  return [value === null ? `no ${key}` : typeof value === 'string' ? `${key} ${value}` : key]
}

const columns: readonly Column<StepRow>[] = [
  { header: 'What', value: ({ kind }) => kind },
  { header: 'Name', value: ({ input }) => input },
  { header: 'Action', value: ({ action }) => action },
  { header: 'Status', value: ({ status }) => status },
  { header: 'Changes', value: ({ changes, error }) => error?.message ?? changes.join(', ') },
]

/** Also for programs that only count changes in a dry run. */
const changedIn = (rows: readonly StepRow[]): number =>
  rows.filter(({ status }) => ['planned', 'created', 'updated', 'deleted'].includes(status)).length

/** People see a table of the changes; programs get every step. */
export async function reportSteps({ out }: Context, rows: readonly StepRow[]): Promise<void> {
  const { mode } = out.style
  if (mode !== 'people' && mode !== 'programs') return out.bulk(rows, { counts: { changed: changedIn(rows) } })
  const changed = rows.filter(({ action }) => action !== 'none')
  await out.list(mode === 'people' ? changed : rows, columns, { empty: 'Nothing to do' })
  const same = rows.length - changed.length
  if (mode === 'people' && same > 0) out.note(`${same} unchanged`)
}
