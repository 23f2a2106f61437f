import { type Command, Option } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Flow, FlowResult } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { aboutFlow, bareFlowCommand, runFlow } from './flow-command.ts'

/**
 * The `--if-exists` flag of create commands: a repeated script chooses what happens if the resource exists. The first
 * choice is the default.
 */
export const ifExistsOption = (summary: string, choices: readonly string[] = ['fail', 'skip']): Option =>
  new Option('--if-exists <what>', summary).choices([...choices]).default(choices[0])

interface IfExists<F extends Fields, R extends object> {
  readonly option: Option
  /** Finds what already exists, or throws `alreadyExistsError` if it may not stay as it is. */
  readonly find: (
    flowContext: FlowContext,
    values: ValuesOf<F>,
    ifExists: unknown,
  ) => Promise<FlowResult<R> | undefined>
}

/** The create command of a resource that the service would accept twice. */
export function createUnlessExists<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { option, find }: IfExists<F, R>,
): Command {
  const command = bareFlowCommand(flow)
    .addOption(option)
    .action(() => {
      const run: typeof flow.run = async (flowContext, subject, values) =>
        (await find(flowContext, values, command.opts()['ifExists'])) ?? flow.run(flowContext, subject, values)
      return runFlow(context, { ...flow, run }, command)
    })
  return describeCommand(command, aboutFlow(flow))
}

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
