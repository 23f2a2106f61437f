import { existsSync } from 'node:fs'
import { builtTree, builtTreeText } from './argv/built-tree.ts'
import { helpPage } from './argv/help-page.ts'
import { nodeAt } from './argv/tree.ts'
import { widthOf } from './output/style.ts'
import type { Host } from './process/host.ts'
import { version } from './process/version.ts'
import { configPath, foldersOf } from './settings/folders.ts'

/**
 * Answers that need no command to be built: the version, the tree of commands and the help pages, both written by the
 * build. Undefined for anything else, which the parser handles.
 */
export function answerOnFastPath(argv: readonly string[], host: Host): string | undefined {
  const last = argv.at(-1) ?? '--help'
  const words = argv.slice(0, -1)
  if (words.length === 0 && (last === '--version' || last === '-V')) return `${version}\n`
  if (argv.join(' ') === 'commands --json' && !host.stdout.isTTY) return plainTreeText(host)
  return last === '--help' || last === '-h' ? helpOf(words, host) : undefined
}

/** Undefined where a config file could hold aliases, which belong to the tree. */
function plainTreeText({ env }: Host): string | undefined {
  return existsSync(configPath(foldersOf(env))) ? undefined : builtTreeText()
}

function helpOf(words: readonly string[], host: Host): string | undefined {
  const tree = builtTree()
  const node = tree && nodeAt(tree, words)
  return node && helpPage(tree, node, widthOf(host))
}
