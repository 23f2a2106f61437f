import { Option } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

/** The `--if-exists` flag of create commands: a repeated script chooses what happens if the resource exists. */
export const ifExistsOption = (summary: string, choices: readonly string[] = ['fail', 'skip']): Option =>
  new Option('--if-exists <what>', summary).choices([...choices]).default('fail')

/**
 * Loads the existing resources. When the caller may not list them, assumes none, unless existing ones are to be
 * skipped.
 */
export const existingItems = <T>(look: Promise<readonly T[]>, ifExists: unknown): Promise<readonly T[]> =>
  look.catch((error: unknown) => {
    if (ifExists === 'skip' || toCliError(error).status !== 403) throw error
    return []
  })

/** Exit 7: for resources that the service would accept twice. */
export const alreadyExistsError = (
  message: string,
  hint = 'Choose another name, or keep the existing one: --if-exists skip',
): CliError => new CliError(exitCodes.conflict, message, { code: 'EXISTS_ALREADY', hint })
