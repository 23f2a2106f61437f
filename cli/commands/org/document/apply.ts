import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Connection } from '../../../client/connection.ts'
import type { Context } from '../../../context.ts'
import { ownerRolesOf, toListedRole } from '../../../flows/org/view.ts'
import { CliError, readOnlyError, usageError } from '../../../output/cli-error.ts'
import { toCliError } from '../../../output/error-report.ts'
import { commandLine } from '../../../output/shell-line.ts'
import { countText, sameWords } from '../../../output/words.ts'
import { requireSession } from '../../require-session.ts'
import { Applier } from './applier.ts'
import { checkPossible } from './check.ts'
import { type CurrentOrganization, type KnownOrganization, readCurrent } from './current.ts'
import { type ApplierStep, performSteps } from './perform.ts'
import { plan, removals, type Step } from './plan.ts'
import { readDocuments, readText, withOwnRoles } from './read.ts'
import type { OrganizationDocument } from './schema.ts'
import { reportSteps } from './step-report.ts'
import { isChange, rowOf } from './step-row.ts'

type OrganizationPart = Extract<Step, { readonly kind: 'organization' }>

export interface ApplyOptions {
  readonly file: readonly string[]
  readonly dryRun?: boolean
  readonly exitCode?: boolean
  readonly prune?: boolean
}

/** `org apply` without its arguments: the YAML library is loaded only when the command runs. */
export async function applyDocuments(context: Context, options: ApplyOptions): Promise<void> {
  const documents = await readDesired(context, options)
  const steps = await planAll(context, documents, options.prune ?? false)
  if (!options.dryRun) return performSteps(context, steps)
  await reportSteps(
    context,
    steps.map((one) => rowOf(one, isChange(one.step) ? 'planned' : 'unchanged')),
  )
  if (options.exitCode && steps.some(({ step }) => isChange(step))) context.exitCode = exitCodes.partial
}

/** Reads the documents, and refuses whatever can be refused before the first request. */
async function readDesired(context: Context, options: ApplyOptions): Promise<readonly OrganizationDocument[]> {
  const { file: files, dryRun, prune } = options
  if (options.exitCode && !dryRun)
    throw usageError(
      '--exit-code reports what would change and needs --dry-run',
      applyLine(files, '--dry-run', '--exit-code'),
      ['--exit-code'],
    )
  const { settings } = context
  if (!dryRun && settings.readOnly.value) throw readOnlyError(settings.readOnly.from)
  const documents = await readFiles(context, files)
  if (prune && !dryRun) await confirmPrune(context, files, documents)
  return documents
}

const applyLine = (files: readonly string[], ...flags: readonly string[]): string =>
  commandLine('postern', 'org', 'apply', ...files.flatMap((file) => ['-f', file]), ...flags)

/** All documents of all files, of which no two are about one organization. */
async function readFiles({ host }: Context, files: readonly string[]): Promise<readonly OrganizationDocument[]> {
  if (files.filter((file) => file === '-').length > 1)
    throw usageError('stdin (-) can be given only once', undefined, ['--file'])
  const sources = new Map<string, string>()
  const documents: OrganizationDocument[] = []
  for (const file of files) {
    const source = file === '-' ? 'stdin' : file
    for (const document of readDocuments(await readText(file, host), source)) {
      const { slug } = document.organization
      const first = sources.get(slug)
      if (first !== undefined) throw describedTwice(slug, [first, source])
      sources.set(slug, source)
      documents.push(document)
    }
  }
  return documents
}

const describedTwice = (slug: string, sources: readonly string[]): CliError =>
  usageError(`Two documents describe ${slug}: in ${sources.join(' and in ')}`, 'Join them into one document', [
    '--file',
  ])

/** Confirmed by typing or with `--confirm`, before anything is sent. */
async function confirmPrune(
  context: Context,
  files: readonly string[],
  documents: readonly OrganizationDocument[],
): Promise<void> {
  const named = documents.map(({ organization }) => organization.slug)
  const slugs = named.join(',')
  const what = documents.length === 1 ? 'the slug' : 'the slugs'
  const label = `Type ${what} ${slugs} to remove what the document does not list (preview with --dry-run):`
  const questions = { confirm: { flag: '--confirm', label, value: context.flags.confirm } }
  const ready = applyLine(files, '--prune', '--confirm', slugs)
  const { confirm } = await context.ask(questions, ready)
  if (sameWords(confirm?.split(',') ?? [], named)) return
  if (context.flags.confirm !== undefined) throw usageError(`--confirm must be ${slugs}`, ready, ['--confirm'])
  throw new CliError(exitCodes.cancelled, `That is not ${what}: nothing was changed`, { code: 'CANCELLED' })
}

/** The steps of every document. Nothing is changed before all of them are known to be possible. */
async function planAll(
  context: Context,
  documents: readonly OrganizationDocument[],
  prune: boolean,
): Promise<readonly ApplierStep[]> {
  const connection = await context.connectSignedIn()
  const actor = (await requireSession(context, connection)).user.email
  const steps: ApplierStep[] = []
  for (const document of documents) {
    const organization = document.organization.slug
    const known = await locate(context, connection, document)
    const current = known?.current ?? null
    const facts = { prune, actor, machines: known?.machines ?? [], ...(await rolesFor(connection, known)) }
    const wanted = withPresentRoles(document, current, facts.serviceRoles)
    checkPossible(current, wanted, facts)
    if (current && !prune)
      noteKeptItems(context, removals(current, wanted).length, documents.length > 1 && organization)
    const applier = new Applier({ connection, known, wanted, actor, now: context.host.now() })
    steps.push(...plan(current, wanted, facts).map((step) => ({ organization, step, applier })))
  }
  await requireFields(connection, steps)
  return steps
}

/**
 * Refuses fields that the service does not have. Where it has none at all, it would ignore them. It tells none that
 * nobody may set, so of a new organization it judges by itself as soon as it has any.
 */
async function requireFields(connection: Connection, steps: readonly ApplierStep[]): Promise<void> {
  const given = steps.flatMap(({ step }) => (step.kind === 'organization' ? fieldsOf(step) : []))
  if (given.length === 0) return
  const { requireDeclared } = await import('../../own-field-questions.ts')
  const { declaredFieldsOf } = await import('../../../flows/own-field-forms.ts')
  const declared = await declaredFieldsOf(connection)
  for (const { name, isNew } of given)
    requireDeclared(isNew ? declared : declared.filter((field) => field.name === name), 'organization', name)
}

/** Those that it changes, without those that the organization is known to have. */
const fieldsOf = ({ change, was }: OrganizationPart): readonly { readonly name: string; readonly isNew: boolean }[] =>
  Object.keys(change.fields ?? {})
    .filter((name) => !Object.hasOwn(was?.fields ?? {}, name))
    .map((name) => ({ name, isNew: was === undefined }))

/** Those that the organization has already may be spelled in any way, too, unless the service has one of that name. */
function withPresentRoles(
  document: OrganizationDocument,
  current: CurrentOrganization | null,
  serviceRoles: readonly string[],
): OrganizationDocument {
  const own = new Set(current?.roles.map(({ name }) => name))
  return withOwnRoles(document, (role) => own.has(role.toLowerCase()) && !serviceRoles.includes(role))
}

/** A new organization has only the roles of the service. An older one lists those of the active organization too. */
async function rolesFor({ api }: Connection, known: KnownOrganization | null) {
  const listed = known?.roles ?? (await api.role.listRoles({ predefined: 'true' })).map(toListedRole)
  const serviceRoles = listed.filter(({ own }) => !own).map(({ role }) => role)
  const allowed = Object.fromEntries(listed.map(({ role, permissions }) => [role, permissions]))
  return { serviceRoles, ownerRoles: ownerRolesOf(listed), allowed }
}

/** `slug`: said only if there are several organizations. */
function noteKeptItems({ out }: Context, extras: number, slug: string | false): void {
  if (extras === 0) return
  out.note(
    `${slug === false ? '' : `${slug}: `}${countText(extras)} kept though not in the document: --prune removes them`,
  )
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
