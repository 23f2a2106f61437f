import { Command } from 'commander'
import { exitCodes } from '../../../shared/exit-codes.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import type { Context } from '../../context.ts'
import type { ImportOutcome, LeftOut, SourceRequest } from '../../local/local.ts'
import { CliError, usageError } from '../../output/cli-error.ts'
import type { BulkResult } from '../../output/out.ts'
import { andText, countText } from '../../output/words.ts'
import { stdinOf } from '../../process/stdin.ts'
import { bulkFields } from '../bulk.ts'
import { isProduct, products, readablePath } from './files.ts'
import { createProgress } from './progress.ts'
import { reasonOf } from './reasons.ts'

interface Options {
  readonly dryRun?: boolean
  readonly batch?: string
  readonly update?: boolean
  readonly from?: string
  readonly schema?: string
  readonly map?: string
  readonly since?: boolean
  readonly hashConfig?: string
  readonly withoutSecondFactor?: boolean
  readonly platformRoles: boolean
}

export const importCommand = (context: Context): Command =>
  describeCommand(
    new Command('import')
      .description('Move users in, with ids and password hashes')
      .argument(
        '<source>',
        'a file of NDJSON, one record a line, as postern schema import describes; - for stdin; better-auth, for its database; or auth0, clerk, firebase, keycloak or supabase, for their exports',
      )
      .argument('[files...]', 'the files that auth0, clerk, firebase, keycloak or supabase exported')
      .option('--from <url>', 'the PostgreSQL database of better-auth or Supabase, which is only read')
      .option('--schema <name>', 'the schema of its tables (default: public)')
      .option('--map <file>', 'JSON that names the tables and columns that are called otherwise')
      .option('--since', 'only what changed since the run before, in place of what is there')
      .option('--hash-config <file>', 'the password hash parameters of a Firebase project, as its console shows them')
      .option('--dry-run', 'check everything, report what cannot come, and store nothing')
      .option('--batch <records>', 'commit after this many records; after a crash, the same command goes on from there')
      .option('--update', 'replace records of the same id; stop where both address and createdAt differ')
      .option('--no-platform-roles', 'nobody gets a role of the platform, such as admin')
      .option(
        '--without-second-factor',
        'take users whose second factor is not asked for here: the password alone lets them in',
      )
      .action(async (word: string, files: readonly string[], options: Options) =>
        runImport(context, await sourceOf(context, word, files, options), options),
      ),
    {
      form: 'bulk',
      fields: bulkFields,
      counts: ['read', 'stored', 'present', 'leftOut', 'ended', 'altered', 'compared', 'administrators'],
      ends: ['failure', 'network', 'partial'],
      examples: [
        'users.ndjson --dry-run',
        'users.ndjson',
        '- --batch 5000 < users.ndjson',
        'better-auth --from postgres://… --dry-run',
        'auth0 users.json password-hashes.json',
        'firebase users.json --hash-config hash-config.txt',
      ],
    },
  )

/** Options that say nothing of another source. */
const ofBetterAuth = ['schema', 'map', 'since'] as const

async function sourceOf(
  { host }: Context,
  word: string,
  files: readonly string[],
  options: Options,
): Promise<SourceRequest> {
  const foreign = word !== 'better-auth' && ofBetterAuth.find((name) => options[name] !== undefined)
  if (foreign) throw usageError(`--${foreign} is for better-auth`, 'postern import better-auth --from URL')
  if (isProduct(word)) return (await import('./exports.ts')).exportRequest(host, word, files, options.from)
  if (files.length > 0)
    throw usageError(
      `Only ${andText(Object.keys(products))} take files after their name, and ${word} is none of them`,
      'What comes from elsewhere has to be one file of records: postern schema import',
    )
  if (word === 'better-auth') return (await import('./better-auth.ts')).betterAuthRequest(host, options)
  if (options.from !== undefined)
    throw usageError('--from is for better-auth and supabase', 'postern import better-auth --from URL')
  return word === '-' ? { kind: 'stream', stream: stdinOf(host) } : { kind: 'file', path: readablePath(host, word) }
}

const projectOf = async ({ host }: Context, file: string | undefined) =>
  file === undefined ? undefined : (await import('./exports.ts')).hashConfigOf(host, file)

async function runImport(context: Context, source: SourceRequest, options: Options): Promise<void> {
  const { importRecords } = await import('../../local/local.ts')
  const batch = batchOf(options.batch)
  const project = await projectOf(context, options.hashConfig)
  const isDryRun = options.dryRun ?? false
  const results: BulkResult[] = []
  // Records that are read from elsewhere are only counted.
  const hasLines = source.kind === 'file' || source.kind === 'stream'
  const progress = createProgress(context)
  context.host.heedTermination?.()
  const onLeftOut = (row: LeftOut) => {
    progress.end()
    const result = resultOf(row, hasLines)
    // One document has to wait for all of them; elsewhere nothing is held in memory.
    if (context.out.style.mode === 'document') results.push(result)
    context.out.result(result)
  }
  const onProgress: typeof progress.show = (...state) => progress.show(...state)
  const asked = {
    source,
    project,
    isDryRun,
    batch,
    isUpdating: options.update ?? options.since ?? false,
    withoutSecondFactor: options.withoutSecondFactor ?? false,
    withPlatformRoles: options.platformRoles,
    onLeftOut,
    onProgress,
  }
  const summary = await importRecords(context.host, asked).finally(() => progress.end())
  if (hasLines) requireRecords(summary)
  report(context, summary, results, isDryRun)
  if (source.kind === 'export' && summary.read === 0)
    context.out.warn(`Nothing in these files is a user: has ${source.product} exported them?`)
}

/** The export that a pipe reads from may have failed. */
function requireRecords({ read }: ImportOutcome): void {
  if (read > 0) return
  throw usageError(
    'The input has no records: nothing was moved in',
    'Write it with postern export, or see docs/moving.md',
  )
}

function report(context: Context, summary: ImportOutcome, results: readonly BulkResult[], isDryRun: boolean): void {
  const { leftOut, ended, altered, read, compared, different } = summary
  const [stored, present] = [sum(summary.stored), sum(summary.present)]
  const administrators = summary.administrators.length
  context.out.results(results, { read, stored, present, leftOut, ended, altered, compared, administrators })
  context.out.note(sentenceOf(summary, isDryRun))
  for (const warning of warningsOf(summary, isDryRun)) context.out.warn(warning)
  if (different.length > 0)
    throw new CliError(exitCodes.failure, 'Some records are not stored as they were given', {
      code: 'DIFFERENT',
      details: different,
    })
  if (leftOut > 0) context.exitCode = exitCodes.partial
}

/** Names at most so many. */
const mostNamed = 20

/** What nobody should overlook. */
function warningsOf({ administrators, secondFactors, unread }: ImportOutcome, isDryRun: boolean): readonly string[] {
  const who = `With rights on the platform: ${someOf(administrators)}. To leave them out: --no-platform-roles`
  const behind = `Not brought, since they have no place here: ${someOf(unread)}`
  return [
    ...(administrators.length > 0 ? [who] : []),
    ...(unread.length > 0 ? [behind] : []),
    ...factorsOf(secondFactors, isDryRun),
  ]
}

function someOf(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} others` : ''
  return `${names.slice(0, mostNamed).join(', ')}${more}`
}

function factorsOf(count: number | null, isDryRun: boolean): readonly string[] {
  if (count === null)
    return ['These files do not tell who has a second factor there; here the password alone lets everybody in']
  if (count === 0) return []
  const users = count === 1 ? 'One user has' : `${countText(count)} users have`
  const consent = isDryRun ? '; the run itself asks for --without-second-factor' : ''
  return [`${users} a second factor there and none here: the password alone lets them in${consent}`]
}

function sentenceOf({ stored, present, leftOut, ended, altered, compared }: ImportOutcome, isDryRun: boolean): string {
  const kinds = Object.entries(stored).filter(([, count]) => count > 0)
  const came =
    kinds.map(([type, count]) => `${countText(count)} ${type}${count === 1 ? '' : 's'}`).join(', ') || 'nothing'
  const others = [
    [sum(present), 'already there'],
    [leftOut, 'left out'],
    [altered, 'altered'],
    [ended, 'ended since'],
  ].flatMap(([count, word]) => (count === 0 ? [] : [`${countText(Number(count))} ${word}`]))
  const verb = isDryRun ? 'Would move in' : 'Moved in'
  return [`${verb} ${came}`, ...others, `${compared} compared field by field`].join('; ')
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

function resultOf({ line, type, id, reason, detail, place }: LeftOut, hasLines: boolean): BulkResult {
  const [message, hint] = reasonOf(reason)
  const name = [type ?? place ?? `line ${line}`, id].filter((part) => part !== null).join(' ')
  return {
    input: name,
    status: reason === 'ALTERED' ? 'altered' : 'failed',
    ...(id !== null && { id }),
    error: {
      code: reason,
      message: [message, detail].filter(Boolean).join(': '),
      // Those of what cannot be read are about our own format.
      hint: place === undefined ? (hint ?? null) : null,
      ...(hasLines && { line }),
    },
  }
}

function batchOf(text: string | undefined): number | null {
  if (text === undefined) return null
  if (!/^[1-9]\d{0,5}$/.test(text)) throw usageError('--batch takes a number of records, such as 5000')
  return Number(text)
}
