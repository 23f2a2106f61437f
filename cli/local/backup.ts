import type { BackedUp, Restored } from '../../server/process/backup.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError, usageError } from '../output/cli-error.ts'
import { unreadableHint, whyUnreadable, whyUnwritable } from '../process/file-faults.ts'
import type { Host } from '../process/host.ts'
import { stdinOf } from '../process/stdin.ts'
import { throwCliError, workStopped } from './local.ts'

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
    const ofFile = errorOf([file, partOf(file)], error)
    if (ofFile) explainUnwritten(ofFile, file)
    return explain(error)
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
    const ofFile = errorOf([file], error)
    if (!ofFile || ![...misplaced, 'EISDIR'].includes(ofFile.code)) return explain(error)
    throw usageError(`${file} cannot be read: ${whyUnreadable(ofFile)}`, `${unreadableHint}, or - for stdin`, [
      '<file>',
    ])
  })
}

/** The error if it is about one of these files: settings, sockets and the database have files of their own. */
const errorOf = (files: readonly string[], error: unknown): NodeJS.ErrnoException | undefined =>
  files.includes(Object(error).path) ? Object(error) : undefined

function explain(error: unknown): never {
  const { name, message } = Object(error)
  if (name === 'UnusableBackup')
    throw new CliError(exitCodes.rejected, message, {
      code: 'UNUSABLE_BACKUP',
      hint: 'Nothing was restored. Try again, with this file or another one that postern backup made',
      cause: error,
    })
  if (name === 'DatabaseInUse')
    throw new CliError(exitCodes.conflict, message, {
      code: 'DATABASE_NOT_EMPTY',
      hint: 'Create a new database for it, and name that in DATABASE_URL',
      cause: error,
    })
  return throwCliError(error, workStopped)
}

const full: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT']
const misplaced: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM']

function explainUnwritten(error: NodeJS.ErrnoException, file: string): void {
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
  if (misplaced.includes(code))
    throw usageError(`${file} cannot be written: ${whyUnwritable(error)}`, 'Name a file elsewhere', ['<file>'])
}

const partOf = (file: string): string => `${file}.part`
