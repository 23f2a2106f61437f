import { setFlagsFromString } from 'node:v8'
import type { BootstrapOptions, BootstrapOutcome } from '../../server/domain/admin/bootstrap.ts'
import type { OutboxMail } from '../../server/outbox/read-outbox.ts'
import type { Checked, Trial } from '../../server/process/check.ts'
import type {
  ExportRequest,
  FirebaseProject,
  ImportOutcome,
  ImportRequest,
  LeftOut,
  SourceRequest,
} from '../../server/process/moving.ts'
import type { MigrationResult, ReplacementOptions } from '../../server/process/serve.ts'
import type { EffectiveSetting } from '../../server/settings/effective.ts'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { serviceAddress } from '../../shared/service-address.ts'
import { isCertificateFault, isTlsFault } from '../../shared/tls-fault.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import type { Host } from '../process/host.ts'

export type {
  BootstrapOptions,
  EffectiveSetting,
  FirebaseProject,
  ImportOutcome,
  LeftOut,
  MigrationResult,
  OutboxMail,
  ReplacementOptions,
  SourceRequest,
  Trial,
}

/**
 * The only import of server code in the command line, used by the commands that run the server's code on this machine.
 */
const server = () => import('../../server/process/serve.ts')

/** Runs the service until a signal ends it. V8 optimizes nothing until it takes requests: `tuneEngine` says why. */
export async function serve({ env, cwd }: Host): Promise<ExitCode> {
  setFlagsFromString('--no-opt')
  const { serve: run } = await server()
  return (await run({ env, cwd, isOptimizerOff: true }).catch(throwCliError)) as ExitCode
}

/** The settings of the service that this folder and environment configure, and whether it can use what it needs. */
export async function checkService({ env, cwd }: Host): Promise<Checked> {
  const { checkService: check } = await import('../../server/process/check.ts')
  return check({ env, cwd }).catch(throwCliError)
}

/** Applies missing migrations to the service's database and, if asked, lets held mails and webhooks go on. */
export async function migrate({ env, cwd }: Host, options: ReplacementOptions): Promise<MigrationResult> {
  const { migrateDatabase } = await server()
  return migrateDatabase({ env, cwd }, options).catch(throwCliError)
}

/**
 * Makes a user the first administrator of the service that this folder and environment configure, or returns why not.
 */
export async function bootstrapAdmin({ env, cwd }: Host, asked: BootstrapOptions): Promise<BootstrapOutcome> {
  const { bootstrap } = await import('../../server/process/bootstrap.ts')
  return bootstrap(asked, { env, cwd }).catch(throwCliError)
}

/** Moves records into the service that this folder and environment configure. */
export async function importRecords({ env, cwd, signal }: Place, asked: ImportRequest): Promise<ImportOutcome> {
  const { importRecords: run } = await import('../../server/process/moving.ts')
  return run({ ...asked, signal }, { env, cwd }).catch(throwUnlessAborted(signal))
}

/** Writes the records of the service that this folder and environment configure, and returns how many there were. */
export async function exportRecords({ env, cwd, signal }: Place, asked: ExportRequest): Promise<number> {
  const { exportRecords: run } = await import('../../server/process/moving.ts')
  return run({ ...asked, signal }, { env, cwd }).catch(throwUnlessAborted(signal))
}

/** Where the service is configured, and when to stop. */
type Place = Pick<Host, 'env' | 'cwd' | 'signal'>

const throwUnlessAborted = (signal: AbortSignal) => (error: unknown) => {
  if (signal.aborted) throw signal.reason
  return throwCliError(error, workStopped)
}

/**
 * Yields the mails in the outbox of the service that this folder and environment configure, newest last. With `follow`,
 * also new ones. `onUnreadable`: of each that is left out, with the reason.
 */
export async function* devMail(
  { env, cwd, signal }: Host,
  { follow, onUnreadable }: { readonly follow: boolean; readonly onUnreadable: (reason: string) => void },
): AsyncGenerator<OutboxMail> {
  const { readOutbox } = await import('../../server/outbox/read-outbox.ts')
  try {
    yield* readOutbox({ env, cwd, onUnreadable, ...(follow ? { follow: signal } : {}) })
  } catch (error) {
    throwCliError(error)
  }
}

/** The service that this folder and environment configure: its address and its data. */
interface ServiceHere {
  readonly address: string
  readonly origin: string
  readonly port: number
  /** Its folder, or a text in place of DATABASE_URL, which can contain a password. */
  readonly data: string
}

export async function serviceHere({ env, cwd }: Host): Promise<ServiceHere> {
  const { loadConfig } = await import('../../server/config.ts')
  const { BASE_URL, BASE_PATH, PORT, DATABASE_URL, DATA_DIR } = await loadConfig(env, cwd).catch(throwCliError)
  const { origin } = BASE_URL
  const data = DATABASE_URL ? 'the database of DATABASE_URL' : DATA_DIR
  return { address: serviceAddress(origin + BASE_PATH), origin, port: PORT, data }
}

/** What an error of no known kind is called. */
interface UnknownError {
  readonly prefix: string
  readonly code: string
}
const serviceStopped: UnknownError = { prefix: 'The service cannot run: ', code: 'SERVICE' }
/** Of what is done to its database beside the service, which may well run. */
export const workStopped: UnknownError = { prefix: '', code: 'NOT_DONE' }

/** Invalid settings are a usage error, line by line. Other errors report what stopped the service, or the work. */
export function throwCliError(cause: unknown, { prefix, code } = serviceStopped): never {
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause))
  const [sentence = '', ...details] = message.split('\n')
  if (name === 'ConfigError') {
    const hint = 'Settings come from the environment, .env and postern.config.*; docs/configuration.md lists them'
    throw new CliError(exitCodes.usage, sentence, {
      code: 'SETTINGS',
      hint,
      details: details.map((line) => line.trim()),
      cause,
    })
  }
  if (name === 'UnusableAddress')
    throw usageError(sentence, 'The rules of DATABASE_URL apply: docs/configuration.md', ['--from'])
  const ofDatabase = databaseError(cause)
  if (ofDatabase) throw ofDatabase
  throw new CliError(exitCodes.failure, `${prefix}${sentence}`, { code, details, cause })
}

const ofService = ['The database', 'Is PostgreSQL running, and is DATABASE_URL right?'] as const
const ofSource = ['The database of --from', 'Is it running, and is the address of --from right?'] as const

/** Codes of the driver and of PostgreSQL for a connection that was lost, or that the server has no room or time for. */
const ofLostConnection =
  /^(?:CONNECTION_\w+|(?:CONNECT|QUEUE|QUERY)_TIMEOUT|ECONN(?:REFUSED|RESET)|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|08...|53300|57P..)$/

function isUnreached({ syscall, code }: { readonly syscall?: string; readonly code?: string }): boolean {
  return /^(?:connect|getaddrinfo)$/.test(syscall ?? '') || ofLostConnection.test(code ?? '') || isTlsFault(code)
}

/** Explains that nothing answers at the address of a database, that it went away, or that PostgreSQL refuses. */
function databaseError(error: unknown, about: typeof ofService | typeof ofSource = ofService): CliError | undefined {
  const { name, message, cause } = Object(error)
  const isAway = isUnreached(Object(error))
  // It says more than what the server said, which is its cause.
  if (name === 'FailedMigration')
    return isAway ? new CliError(exitCodes.network, message, { code: 'DATABASE', cause: error }) : undefined
  if (!isAway && name !== 'PostgresError')
    return cause === undefined ? undefined : databaseError(cause, name === 'UnusableSource' ? ofSource : about)
  const [which] = about
  return new CliError(isAway ? exitCodes.network : exitCodes.failure, `${which} cannot be used: ${message}`, {
    code: 'DATABASE',
    hint: hintFor(Object(error).code, about),
    cause: error,
  })
}

/** PostgreSQL's code. Since version 15 only the owner of a database may make tables in it. */
const insufficientPrivilege = '42501'

function hintFor(code: string | undefined, about: typeof ofService | typeof ofSource): string {
  if (isCertificateFault(code)) return 'For a private authority set NODE_EXTRA_CA_CERTS to its certificate'
  if (code !== insufficientPrivilege || about === ofSource) return about[1]
  return 'Let the role of DATABASE_URL own its database, and the tables there: alter database … owner to …'
}
