import { Option } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

/** `--if-exists` of what creates: a script that runs again says by it what shall happen then. */
export const ifExistsOption = (summary: string, choices: readonly string[] = ['fail', 'skip']): Option =>
  new Option('--if-exists <what>', summary).choices([...choices]).default('fail')

/** What is there already; a key that may make things and see none is not stopped by that, unless it asked to skip. */
export const seenBy = <T>(look: Promise<readonly T[]>, ifExists: unknown): Promise<readonly T[]> =>
  look.catch((error: unknown) => {
    if (ifExists === 'skip' || toCliError(error).status !== 403) throw error
    return []
  })

/** Exit 7: of what the service itself lets stand twice. */
export const existsError = (
  message: string,
  hint = 'Choose another name, or go on with it: --if-exists skip',
): CliError => new CliError(exitCodes.conflict, message, { code: 'EXISTS_ALREADY', hint })
