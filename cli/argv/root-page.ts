import { wrap } from '../output/wrap.ts'
import { groups, namesOnly } from './groups.ts'
import type { CommandNode } from './tree.ts'

/** The help of the program itself: every command in its group, on one screen. */
export function rootPage(root: CommandNode, width: number): string {
  const parts = [
    wrap(`Usage: ${root.name} <command> [flags]`, width),
    wrap(root.summary, width),
    ...Object.entries(groups).map(([title, names]) => groupLines(title, commandsOf(root, names), width)),
    [
      ...besideTitle(
        'Flags',
        '--url -P -A -o --json --ndjson -q -y --no-input … of every command: postern help flags',
        width,
      ),
      ...besideTitle('Help', 'postern <command> --help; postern help for the topics', width),
    ],
  ]
  return parts.map((lines) => `${lines.join('\n')}\n`).join('\n')
}

const commandsOf = (root: CommandNode, names: readonly string[]): readonly CommandNode[] =>
  names.flatMap((name) => root.commands.filter((command) => command.name === name))

const gutter = 15

function groupLines(title: string, commands: readonly CommandNode[], width: number): readonly string[] {
  const names = commands.map(({ name }) => name)
  if (title === namesOnly) return besideTitle(title, names.join(', '), width)
  const left = gutter + Math.max(...names.map(({ length }) => length)) + 2
  return commands.flatMap(({ name, summary }, position) =>
    wrap(summary, width - left).map((line, index) => {
      const term = `${(position + index === 0 ? title : '').padEnd(gutter)}${index === 0 ? name : ''}`
      return `${term.padEnd(left)}${line}`
    }),
  )
}

const besideTitle = (title: string, text: string, width: number): readonly string[] =>
  wrap(text, width - gutter).map((line, index) => `${(index === 0 ? title : '').padEnd(gutter)}${line}`)
