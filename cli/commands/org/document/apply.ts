import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Connection } from '../../../client/connection.ts'
import type { Context } from '../../../context.ts'
import { ownerRolesOf } from '../../../flows/role/owner-roles.ts'
import { CliError, readOnlyError, usageError } from '../../../output/cli-error.ts'
import { toCliError } from '../../../output/error-report.ts'
import { commandLine } from '../../../output/shell-line.ts'
import { requireSession } from '../../require-session.ts'
import { Applier } from './applier.ts'
import { checkPossible } from './check-possible.ts'
import { type KnownOrganization, readCurrent } from './current.ts'
import { performSteps } from './perform-steps.ts'
import { plan, removals, type Step } from './plan.ts'
import { readDocument } from './read.ts'
import { readText } from './read-text.ts'
import type { OrganizationDocument } from './schema.ts'
import { reportSteps, rowOf } from './step-rows.ts'

export interface ApplyOptions {
  readonly file: string
  readonly dryRun?: boolean
  readonly exitCode?: boolean
  readonly prune?: boolean
}

/** `org apply`, apart from its arguments: what it takes to read YAML is loaded when the command runs. */
export async function applyDocument(context: Context, options: ApplyOptions): Promise<void> {
  const wanted = await wantedBy(context, options)
  const prune = options.prune ?? false
  const connection = await context.connectSignedIn()
  const actor = (await requireSession(context, connection)).user.email
  const known = await locate(context, connection, wanted)
  const current = known?.current ?? null
  const listed = await connection.api.organization.listRoles()
  const facts = { prune, actor, roles: listed.map(({ role }) => role), ownerRoles: ownerRolesOf(listed) }
  checkPossible(current, wanted, facts)
  const steps = plan(current, wanted, facts)
  if (current && !prune) tellWhatStays(context, removals(current, wanted).length)
  if (options.dryRun) return reportPlan(context, steps, options)
  const applier = new Applier({ connection, known, wanted, actor, now: context.host.now() })
  await performSteps(context, steps, applier)
}

/** The document, with all that can be refused before anything is sent. */
async function wantedBy(context: Context, options: ApplyOptions): Promise<OrganizationDocument> {
  const { file, dryRun, prune } = options
  if (options.exitCode && !dryRun)
    throw usageError(
      '--exit-code tells what would change: it goes with --dry-run',
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

function tellWhatStays({ out }: Context, extras: number): void {
  if (extras > 0) out.note(`${extras} more that the document does not list: --prune removes them`)
}

/** Typed, or given as `--confirm`, before anything is sent. */
async function confirmPrune(context: Context, file: string, slug: string): Promise<void> {
  const label = `Type the slug ${slug} to remove what the document does not list (see it first: --dry-run):`
  const questions = { confirm: { flag: '--confirm', label, value: context.flags.confirm } }
  const { confirm } = await context.ask(
    questions,
    commandLine('postern', 'org', 'apply', '-f', file, '--prune', '--confirm', slug),
  )
  if (confirm === slug) return
  if (context.flags.confirm !== undefined)
    throw usageError(`--confirm has to be exactly ${slug}`, undefined, ['--confirm'])
  throw new CliError(exitCodes.cancelled, 'That is not its slug: nothing was changed', { code: 'CANCELLED' })
}

/** The organization of that slug, among the caller's; null when it is to be made. */
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
  throw new CliError(exitCodes.conflict, `There is an organization ${slug}, and you are no member of it`, {
    code,
    status,
    hint: 'Be invited to it, or give the document another slug',
    cause: error,
  })
}
