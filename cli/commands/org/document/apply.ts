import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Connection } from '../../../client/connection.ts'
import type { Context } from '../../../context.ts'
import { ownerRolesOf } from '../../../flows/org/view.ts'
import { CliError, readOnlyError, usageError } from '../../../output/cli-error.ts'
import { toCliError } from '../../../output/error-report.ts'
import { commandLine } from '../../../output/shell-line.ts'
import { endsBulk, tryAction } from '../../bulk.ts'
import { requireSession } from '../../require-session.ts'
import { Applier } from './applier.ts'
import {
  type CurrentOrganization,
  type CurrentPerson,
  desiredPeople,
  type KnownOrganization,
  readCurrent,
} from './current.ts'
import {
  newOrganization,
  type PlanOptions,
  plan,
  removals,
  reportSteps,
  rowOf,
  type Step,
  type StepRow,
  sentenceOf,
} from './plan.ts'
import { readDocument, readText } from './read.ts'
import type { OrganizationDocument } from './schema.ts'

export interface ApplyOptions {
  readonly file: string
  readonly dryRun?: boolean
  readonly exitCode?: boolean
  readonly prune?: boolean
}

/** `org apply` without its arguments: the YAML library is loaded only when the command runs. */
export async function applyDocument(context: Context, options: ApplyOptions): Promise<void> {
  const wanted = await readDesired(context, options)
  const prune = options.prune ?? false
  const connection = await context.connectSignedIn()
  const actor = (await requireSession(context, connection)).user.email
  const known = await locate(context, connection, wanted)
  const current = known?.current ?? null
  const listed = await connection.api.organization.listRoles()
  const facts = { prune, actor, roles: listed.map(({ role }) => role), ownerRoles: ownerRolesOf(listed) }
  checkPossible(current, wanted, facts)
  const steps = plan(current, wanted, facts)
  if (current && !prune) noteKeptItems(context, removals(current, wanted).length)
  if (options.dryRun) return reportPlan(context, steps, options)
  const applier = new Applier({ connection, known, wanted, actor, now: context.host.now() })
  await performSteps(context, steps, applier)
}

/** Reads the document, and refuses whatever can be refused before the first request. */
async function readDesired(context: Context, options: ApplyOptions): Promise<OrganizationDocument> {
  const { file, dryRun, prune } = options
  if (options.exitCode && !dryRun)
    throw usageError(
      '--exit-code reports what would change and needs --dry-run',
      commandLine('postern', 'org', 'apply', '-f', file, '--dry-run', '--exit-code'),
      ['--exit-code'],
    )
  const { host, settings } = context
  if (!dryRun && settings.readOnly.value) throw readOnlyError(settings.readOnly.from)
  const wanted = readDocument(await readText(file, host.stdin), file === '-' ? 'stdin' : file)
  if (prune && !dryRun) await confirmPrune(context, file, wanted.organization.slug)
  return wanted
}

async function reportPlan(context: Context, steps: readonly Step[], { exitCode }: ApplyOptions): Promise<void> {
  await reportSteps(context, steps.map(plannedRow))
  if (exitCode && steps.some(({ action }) => action !== 'none')) context.exitCode = exitCodes.partial
}

const plannedRow = (step: Step) => rowOf(step, step.action === 'none' ? 'unchanged' : 'planned')

function noteKeptItems({ out }: Context, extras: number): void {
  if (extras > 0) out.note(`${extras} kept though not in the document: --prune removes them`)
}

/** Confirmed by typing or with `--confirm`, before anything is sent. */
async function confirmPrune(context: Context, file: string, slug: string): Promise<void> {
  const label = `Type the slug ${slug} to remove what the document does not list (preview with --dry-run):`
  const questions = { confirm: { flag: '--confirm', label, value: context.flags.confirm } }
  const { confirm } = await context.ask(
    questions,
    commandLine('postern', 'org', 'apply', '-f', file, '--prune', '--confirm', slug),
  )
  if (confirm === slug) return
  if (context.flags.confirm !== undefined)
    throw usageError(`--confirm must be exactly ${slug}`, undefined, ['--confirm'])
  throw new CliError(exitCodes.cancelled, 'That is not the slug: nothing was changed', { code: 'CANCELLED' })
}

/** Finds the organization with that slug among the caller's; null if it is to be created. */
async function locate(
  { host }: Context,
  connection: Connection,
  { organization: { slug } }: OrganizationDocument,
): Promise<KnownOrganization | null> {
  const { api } = connection
  const found = (await api.organization.list()).find((organization) => organization.slug === slug)
  if (found) return readCurrent(connection, found.id, host.now())
  await api.organization.checkSlug({ slug }).catch((error: unknown) => explain(error, slug))
  return null
}

function explain(error: unknown, slug: string): never {
  const { code, status } = toCliError(error)
  if (code !== 'SLUG_IS_TAKEN') throw error
  throw new CliError(exitCodes.conflict, `There is an organization ${slug}, but you are not a member of it`, {
    code,
    status,
    hint: 'Ask for an invitation, or change the slug in the document',
    cause: error,
  })
}

interface CheckOptions extends PlanOptions {
  /** The roles that the service knows. */
  readonly roles: readonly string[]
}

/**
 * Refuses a document that cannot be carried out (exit 12) or would leave no owner (exit 7), before anything is changed.
 */
export function checkPossible(
  current: CurrentOrganization | null,
  wanted: OrganizationDocument,
  facts: CheckOptions,
): void {
  checkRoles(plan(current, wanted, facts), facts.roles)
  if (current?.teams === null && wanted.teams && wanted.teams.length > 0)
    throw new CliError(exitCodes.rejected, 'The document lists teams, but this service has no teams', {
      code: 'TEAMS_OFF',
      hint: 'Remove teams from the document',
    })
  if (hasOwner(current ?? newOrganization(wanted, facts), wanted, facts)) return
  throw new CliError(exitCodes.conflict, `The document would leave ${wanted.organization.name} without an owner`, {
    code: 'ONLY_OWNER',
    details: ['An invitation does not make an owner yet: at least one current member must be an owner'],
    hint: `List a member, ${facts.actor} for example, with the role ${facts.ownerRoles.join(' or ')}`,
  })
}

/** Checks only newly granted roles. A person can keep the roles they have, even unknown ones. */
function checkRoles(steps: readonly Step[], known: readonly string[]): void {
  const lines = steps.flatMap((step) => {
    const given = (step.action !== 'none' && step.action !== 'delete' && 'roles' in step && step.roles) || []
    return given.filter((role) => !known.includes(role)).map((role) => `${step.name}: ${role}`)
  })
  if (lines.length === 0) return
  throw new CliError(exitCodes.rejected, 'The document uses roles that this service does not have', {
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

const statuses = {
  create: 'created',
  invite: 'created',
  update: 'updated',
  resend: 'updated',
  delete: 'deleted',
  none: 'unchanged',
} as const

/**
 * Runs the steps one after the other and reports each. After a failed step the others are still tried, unless they all
 * depend on it. Then exit 13, or the failure itself if nothing was done.
 */
async function performSteps(context: Context, steps: readonly Step[], applier: Applier): Promise<void> {
  const { rows, last, isEnded } = await tryAll(context, steps, applier)
  const isNothingDone = !rows.some(({ status }) => done.includes(status))
  if (last && isNothingDone && (isEnded || steps.filter(isChange).length === 1)) throw last
  await reportSteps(context, rows)
  if (!last) return
  context.out.note('Failed steps changed nothing: fix the cause, and apply the document again')
  context.exitCode = exitCodes.partial
}

async function tryAll(context: Context, steps: readonly Step[], applier: Applier) {
  const total = steps.filter(isChange).length
  const rows: StepRow[] = []
  let last: CliError | undefined
  let isEnded = false
  for (const step of steps) {
    const progress = `${rows.filter(isChange).length + 1}/${total}`
    const error: CliError | undefined = isEnded ? undefined : await tryStep(context, applier, step, progress)
    rows.push(resultOf(step, isEnded, error))
    last = error ?? last
    isEnded ||= endsBulk(error) || (error !== undefined && isFoundation(step))
  }
  return { rows, last, isEnded }
}

async function tryStep(
  { out }: Context,
  applier: Applier,
  step: Step,
  progress: string,
): Promise<CliError | undefined> {
  if (isChange(step)) out.note(`${progress} ${sentenceOf(step)}`)
  const outcome = await tryAction(() => applier.perform(step))
  return outcome instanceof CliError ? outcome : undefined
}

const done = ['created', 'updated', 'deleted']
const isChange = ({ action }: Pick<Step, 'action'>): boolean => action !== 'none'
const isFoundation = ({ kind, action }: Step): boolean => kind === 'organization' && action === 'create'

function resultOf(step: Step, isEnded: boolean, error: CliError | undefined): StepRow {
  if (error) return rowOf(step, 'failed', { code: error.code, message: error.message })
  return rowOf(step, isEnded && isChange(step) ? 'skipped' : statuses[step.action])
}
