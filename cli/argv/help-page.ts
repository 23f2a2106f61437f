import { type Row, wrap, wrapRows, wrapWords } from '../output/wrap.ts'
import { rootPage } from './root-page.ts'
import type { CommandNode } from './tree.ts'

/** All that --help prints for a command, no line wider than that many columns where its words allow it. */
export const helpPage = (node: CommandNode, width: number): string =>
  node.path === node.name ? rootPage(node, width) : commandPage(node, width)

function commandPage(node: CommandNode, width: number): string {
  const parts = [
    wrap(usageOf(node), width),
    wrap(node.summary, width),
    section('Arguments', node.arguments.map(argumentRow), width),
    section('Options', [...node.options.map(optionRow), ['-h, --help', 'show this help']], width),
    section('Commands', node.commands.map(commandRow), width),
    ['Examples:', ...node.examples.flatMap((line) => exampleLines(line, width))],
    wrap('Global flags (--json, --url, --account, --yes …): postern help flags', width),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

function usageOf(node: CommandNode): string {
  const parents = node.path.slice(0, -node.name.length)
  const below = node.commands.length > 0 ? ['[command]'] : []
  return ['Usage:', `${parents}${namesOf(node)}`, '[options]', ...below, ...argumentsOf(node)].join(' ')
}

const namesOf = ({ name, aliases }: CommandNode): string => [name, ...aliases.slice(0, 1)].join('|')

const argumentsOf = (node: CommandNode): readonly string[] =>
  node.arguments.map(({ name, required, variadic }) => {
    const word = variadic ? `${name}...` : name
    return required ? `<${word}>` : `[${word}]`
  })

const section = (title: string, rows: readonly Row[], width: number): readonly string[] =>
  rows.length === 0 ? [] : [`${title}:`, ...wrapRows(rows, width)]

const argumentRow = ({ name, summary, choices }: CommandNode['arguments'][number]): Row => [
  name,
  told(summary, choices),
]
const optionRow = ({ flags, summary, choices }: CommandNode['options'][number]): Row => [flags, told(summary, choices)]

const told = (summary: string, choices: readonly string[] | null): string =>
  choices ? `${summary} (${choices.join(', ')})` : summary

const commandRow = (node: CommandNode): Row => [
  [namesOf(node), ...(node.options.length > 0 ? ['[options]'] : []), ...argumentsOf(node)].join(' '),
  node.summary,
]

/** As it can be copied: a longer line goes on behind a backslash. What is quoted stays together. */
function exampleLines(example: string, width: number): readonly string[] {
  if (example.length + 2 <= width) return [`  ${example}`]
  const words = example.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []
  const lines = wrapWords(words, width - 6)
  return lines.map((line, index) => `${index === 0 ? '  ' : '    '}${line}${index < lines.length - 1 ? ' \\' : ''}`)
}
