import type { Command } from 'commander'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import type { SelectingFlag } from '../flows/flow.ts'
import { type CommandMetadata, metadataOf, pathOf } from './command-metadata.ts'
import { isOfOrganization } from './organization-commands.ts'

/** The exit codes of the failures of the call at a path. */
export type ExitsOfCall = (path: string) => readonly ExitCode[]

/** Whether the command only prints help: a group, or the program itself. */
const isGroup = ({ commands, registeredArguments }: Command): boolean =>
  commands.length > 0 && registeredArguments.length === 0

/** The exit codes that the command can end with. Those that any program can end with are left out. */
export function exitsOf(command: Command, exitsOfCall: ExitsOfCall): readonly ExitCode[] {
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
export function inheritedFlags(command: Command): readonly string[] {
  const { consent, ...about } = metadataOf(command)
  if (isGroup(command)) return []
  const heeded = new Set(heededFlags(command, about))
  return [...selecting.filter((flag) => heeded.has(flag)), ...(consent ? [consent] : [])]
}

const selecting = ['--url', '--account', '--org', '--timeout'] as const

/** Whoever acts does so at one service, so the account never comes without the address. */
function heededFlags(
  command: Command,
  { calls = [], needsSession, heeds = [] }: CommandMetadata,
): readonly SelectingFlag[] {
  const own = needsSession ? [...heeds, '--account' as const] : heeds
  return [
    ...own,
    ...(calls.length > 0 || own.includes('--account') ? (['--url'] as const) : []),
    ...(isOfOrganization(pathOf(command)) ? (['--org'] as const) : []),
  ]
}
