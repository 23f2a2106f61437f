import type { Argument, Command, Option } from 'commander'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { SelectingFlag } from '../flows/flow.ts'
import { type CommandMetadata, examplesOf, metadataOf, pathOf } from './command-metadata.ts'
import { variableOf } from './flags.ts'
import { isOfOrganization } from './organization-commands.ts'
import type { CommandNode } from './tree.ts'

/** The tree of the given commands. What their calls can fail with comes from the contract. */
export async function liveTree(root: Command): Promise<CommandNode> {
  const { loadExitsOfCalls } = await import('../client/exits-of-calls.ts')
  return commandTree(root, await loadExitsOfCalls())
}

function commandTree(command: Command, exitsOfCall: ExitsOfCall): CommandNode {
  const { form, fields, counts, others = [], asks = [] } = metadataOf(command)
  return {
    name: command.name(),
    path: pathOf(command),
    aliases: command.aliases(),
    summary: command.description(),
    arguments: command.registeredArguments.map((argument) => argumentOf(argument, asks)),
    options: command.options.filter(({ hidden }) => !hidden).map((option) => optionOf(option, asks)),
    inherits: inheritedFlags(command),
    exitCodes: exitsOf(command, exitsOfCall),
    examples: examplesOf(command),
    form,
    fields,
    ...(counts && { counts }),
    others,
    commands: command.commands.map((child) => commandTree(child, exitsOfCall)),
  }
}

const argumentOf = (argument: Argument, asks: readonly string[]) => ({
  name: argument.name(),
  required: argument.required,
  asked: asks.includes(argument.name()),
  variadic: argument.variadic,
  summary: argument.description,
  choices: argument.argChoices ?? null,
})

const optionOf = ({ flags, long, mandatory, description, argChoices }: Option, asks: readonly string[]) => ({
  flags,
  summary: description,
  required: mandatory,
  asked: asks.includes(long ?? ''),
  variable: variableOf(long),
  choices: argChoices ?? null,
})

/** The exit codes of the failures of the call at a path. */
type ExitsOfCall = (path: string) => readonly ExitCode[]

/** Whether the command only prints help: a group, or the program itself. */
const isGroup = ({ commands, registeredArguments }: Command): boolean =>
  commands.length > 0 && registeredArguments.length === 0

/** The exit codes that the command can end with. Those that any program can end with are left out. */
function exitsOf(command: Command, exitsOfCall: ExitsOfCall): readonly ExitCode[] {
  if (isGroup(command)) return []
  const about = metadataOf(command)
  const found = [
    exitCodes.done,
    exitCodes.usage,
    ...(about.calls ?? []).flatMap(exitsOfCall),
    ...namesOf(command, about).map((name) => exitCodes[name]),
  ]
  return [...new Set(found)].toSorted((one, other) => one - other)
}

function namesOf(command: Command, about: CommandMetadata): readonly (keyof typeof exitCodes)[] {
  const { calls = [], needsSession, asks = [], consent, ends = [] } = about
  return [
    ...ends,
    ...(calls.length > 0 ? (['network', 'server', 'localState'] as const) : []),
    ...(needsSession ? (['signedOut', 'localState'] as const) : []),
    ...(asks.length > 0 || consent ? (['cancelled', 'inputNeeded'] as const) : []),
    ...(isOfOrganization(pathOf(command)) ? (['notFound', 'conflict'] as const) : []),
  ]
}

/** The global flags that give the command what it does not take itself. */
function inheritedFlags(command: Command): readonly string[] {
  const { consent, ...about } = metadataOf(command)
  if (isGroup(command)) return []
  const own = new Set(globalFlagsOf(command, about))
  return [...selecting.filter((flag) => own.has(flag)), ...(consent ? [consent] : [])]
}

const selecting = ['--url', '--account', '--org', '--timeout'] as const

/** An account belongs to one service, so `--account` always comes with `--url`. */
function globalFlagsOf(
  command: Command,
  { calls = [], needsSession, globalFlags = [] }: CommandMetadata,
): readonly SelectingFlag[] {
  const own = needsSession ? [...globalFlags, '--account' as const] : globalFlags
  return [
    ...own,
    ...(calls.length > 0 || own.includes('--account') ? (['--url'] as const) : []),
    ...(isOfOrganization(pathOf(command)) ? (['--org'] as const) : []),
  ]
}
