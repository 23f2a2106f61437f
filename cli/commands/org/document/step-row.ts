import { isDeepStrictEqual } from 'node:util'
import type { BulkResult } from '../../../output/out.ts'
import { sameWords } from '../../../output/words.ts'
import { teamList } from './person-teams.ts'
import type { Step } from './plan.ts'

/** A changed field: null for what is not there. */
export interface Difference {
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** A step of the document about one organization. */
export interface OrganizationStep {
  /** The slug. */
  readonly organization: string
  readonly step: Step
}

/** The result of a step, planned or done. `input`: the slug, the name of the role or team, or the address. */
export interface StepRow extends BulkResult {
  readonly organization: string
  readonly kind: Step['kind']
  readonly action: Step['action']
  /** For people: `roles admin, member`, `team Ops`. */
  readonly changes: readonly string[]
  readonly differences: readonly Difference[]
}

export function rowOf(
  { organization, step }: OrganizationStep,
  status: string,
  error: BulkResult['error'] = null,
): StepRow {
  const { kind, name: input, action } = step
  return {
    input,
    organization,
    kind,
    action,
    changes: changesOf(step),
    differences: differencesOf(step),
    status,
    error,
  }
}

/** `invite bo@example.com (roles member)` */
export function sentenceOf(step: Step): string {
  const changes = changesOf(step).join(', ')
  const thing = step.kind === 'member' || step.kind === 'invitation' ? step.name : `${step.kind} ${step.name}`
  return `${step.action} ${thing}${changes === '' ? '' : ` (${changes})`}`
}

function changesOf(step: Step): string[] {
  if (step.action === 'rename') return [`from ${step.from}`]
  if (step.action === 'none' || step.action === 'delete' || step.kind === 'team') return []
  if (step.kind === 'role') return [`permissions ${step.permissions.join(', ') || 'none'}`]
  if (step.kind === 'organization') return Object.entries(step.change).flatMap(([key, value]) => partOf(key, value))
  return personChanges(step)
}

function personChanges(step: Extract<Step, { readonly kind: 'member' | 'invitation' }>): string[] {
  return [
    ...(step.roles ? [`roles ${step.roles.join(', ')}`] : []),
    ...teamChange(teamList(step.team)),
    ...(step.kind === 'member' && step.team === null ? ['no team'] : []),
  ]
}

const teamChange = (teams: readonly string[]): string[] =>
  teams.length > 0 ? [`${teams.length > 1 ? 'teams' : 'team'} ${teams.join(', ')}`] : []

const partOf = (key: string, value: unknown): string[] => {
  if (value === undefined) return []
  return [value === null ? `no ${key}` : typeof value === 'string' ? `${key} ${value}` : key]
}

/** What the step changes, field by field. What it creates has no earlier values, and what it removes no fields. */
function differencesOf(step: Step): readonly Difference[] {
  if (step.action === 'none' || step.action === 'delete') return []
  if (step.action === 'rename') return [{ field: 'name', from: step.from, to: step.name }]
  if (step.kind === 'team') return []
  if (step.kind === 'role') return differing([['permissions', step.permissions]], step.was)
  return step.kind === 'organization' ? differing(Object.entries(step.change), step.was) : personDifferences(step)
}

function personDifferences({ roles, team, was }: Extract<Step, { readonly kind: 'member' | 'invitation' }>) {
  const areRolesSame = roles === undefined || sameWords(roles, was?.roles ?? [])
  return [
    ...(areRolesSame ? [] : [{ field: 'roles', from: was?.roles ?? null, to: roles }]),
    ...differing([['team', team]], was && { ...was, team: was.team || null }),
  ]
}

const differing = (entries: readonly (readonly [string, unknown])[], was: object | undefined): readonly Difference[] =>
  entries
    .map(([field, to]) => ({ field, from: Reflect.get(was ?? {}, field) ?? null, to }))
    .filter(({ from, to }) => to !== undefined && !isDeepStrictEqual(from, to))

export const isChange = ({ action }: Pick<Step, 'action'>): boolean => action !== 'none'

export const areOfSeveral = (rows: readonly { readonly organization: string }[]): boolean =>
  new Set(rows.map(({ organization }) => organization)).size > 1
