import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { type CommandNode, commandTree } from './tree.ts'

let read: { readonly tree: CommandNode | undefined } | undefined

/** The tree of commands as the build wrote it beside the program; none where the sources run as they are. */
export function builtTree(): CommandNode | undefined {
  read ??= { tree: parsed(builtTreeText()) }
  return read.tree
}

const parsed = (text: string | undefined): CommandNode | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as CommandNode)

/** What `commands --json` printed into a file when the program was built. */
export function builtTreeText(): string | undefined {
  try {
    return readFileSync(new URL('tree.json', import.meta.url), 'utf8')
  } catch {
    return undefined
  }
}

/** The tree of all commands: as the build wrote it down; where the sources run, of these commands. */
export const wholeTree = (root: Command): CommandNode => builtTree() ?? commandTree(root)
