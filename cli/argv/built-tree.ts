import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { CommandNode } from './tree.ts'

let read: { readonly tree: CommandNode | undefined } | undefined

/** The command tree written by the build. Undefined when the sources run directly. */
export function builtTree(): CommandNode | undefined {
  read ??= { tree: parsed(builtTreeText()) }
  return read.tree
}

const parsed = (text: string | undefined): CommandNode | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as CommandNode)

/** The output of `commands --json`, saved by the build. */
export function builtTreeText(): string | undefined {
  try {
    return readFileSync(new URL('tree.json', import.meta.url), 'utf8')
  } catch {
    return undefined
  }
}

/**
 * The tree of all commands: the one written by the build, otherwise made from the program, by code that a built program
 * never loads.
 */
export const builtOrLiveTree = async (root: () => Command | Promise<Command>): Promise<CommandNode> =>
  builtTree() ?? (await import('./live-tree.ts')).liveTree(await root())
