import type { BackedUp, Restored } from '../../server/process/backup.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import type { Host } from '../process/host.ts'
import { stdinOf } from '../settings/secret.ts'
import { whyUnwritable } from '../settings/unreadable.ts'
import { throwCliError } from './local.ts'

const server = () => import('../../server/process/backup.ts')

/** Writes a backup of the database that this folder and environment configure. `-`: to stdout. */
export async function backUp(host: Host, file: string, passphrase: string | null): Promise<BackedUp> {
  if (file === '-' && host.stdout.isTTY)
    throw usageError('A terminal cannot show a backup', 'Give a file, or send it on: postern backup - | …', ['-'])
  const { backUp: run } = await server()
  const { env, cwd, signal } = host
  host.heedTermination?.()
  let fault: NodeJS.ErrnoException | undefined
  if (file === '-') host.stdout.once('error', (error) => (fault = error))
  return run(file === '-' ? host.stdout : file, { env, cwd, passphrase, signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (fault) throw cutShort(fault)
    return explain(error, file)
  })
}

/** Also where the reader has closed the pipe: half a backup is none. */
const cutShort = (error: NodeJS.ErrnoException): CliError => {
  const why = error.code === 'EPIPE' ? 'its reader ended before' : whyUnwritable(error)
  return new CliError(exitCodes.failure, `The backup is not whole: ${why}`, { code: 'UNWRITABLE', cause: error })
}

/** Restores a backup into that database. `-`: from stdin. */
export async function restore(host: Host, file: string, passphrase: string | null): Promise<Restored> {
  const { restore: run } = await server()
  const { env, cwd, signal } = host
  host.heedTermination?.()
  return run(file === '-' ? stdinOf(host) : file, { env, cwd, passphrase, signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    return explain(error, file)
  })
}

function explain(error: unknown, file: string): never {
  const { name, message, path } = Object(error)
  if (name === 'UnusableBackup')
    throw new CliError(exitCodes.rejected, message, { code: 'UNUSABLE_BACKUP', cause: error })
  if (name === 'DatabaseInUse')
    throw new CliError(exitCodes.conflict, message, {
      code: 'DATABASE_NOT_EMPTY',
      hint: 'Create a new database for it, and name that in DATABASE_URL',
      cause: error,
    })
  // Only errors of this file are about what was given: settings, sockets and the database have files of their own.
  if (path === file || path === partOf(file)) explainFile(error as NodeJS.ErrnoException, file)
  return throwCliError(error)
}

const full: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT']

function explainFile(error: NodeJS.ErrnoException, file: string): void {
  const { code, path } = error
  if (code === 'EEXIST')
    throw new CliError(exitCodes.conflict, `There is already a file ${path}`, {
      code: 'FILE_EXISTS',
      hint:
        path === file
          ? 'Give another name'
          : 'It is what an interrupted backup left, or one that still runs: remove it',
    })
  if (full.includes(code) || code === 'EROFS')
    throw new CliError(exitCodes.failure, `${file} cannot be written: ${whyUnwritable(error)}`, {
      code: 'UNWRITABLE',
      hint: full.includes(code) ? 'Free space, or name a file elsewhere' : 'Name a file elsewhere',
      cause: error,
    })
  if (code === 'ENOENT' || code === 'EACCES') throw usageError(`${file} cannot be used: ${code}`, undefined, ['<file>'])
}

const partOf = (file: string): string => `${file}.part`
