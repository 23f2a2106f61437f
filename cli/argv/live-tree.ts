import type { Argument, Command, Option } from 'commander'
import { examplesOf, metadataOf, pathOf } from './command-metadata.ts'
import { type ExitsOfCall, exitsOf, inheritedFlags } from './exits.ts'
import { variableOf } from './flags.ts'
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
