import { type Row, wrap, wrapRows, wrapWords } from '../output/wrap.ts'
import type { CommandNode } from './tree.ts'

/** The --help page of a command, wrapped at `width` columns where its words allow that. */
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
  descriptionOf(summary, choices),
]
const optionRow = ({ flags, summary, choices }: CommandNode['options'][number]): Row => [
  flags,
  descriptionOf(summary, choices),
]

const descriptionOf = (summary: string, choices: readonly string[] | null): string =>
  choices ? `${summary} (${choices.join(', ')})` : summary

const commandRow = (node: CommandNode): Row => [
  [namesOf(node), ...(node.options.length > 0 ? ['[options]'] : []), ...argumentsOf(node)].join(' '),
  node.summary,
]

/** Breaks a long example with a backslash, so that it can be copied. Quoted words stay whole. */
function exampleLines(example: string, width: number): readonly string[] {
  if (example.length + 2 <= width) return [`  ${example}`]
  const words = example.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []
  const lines = wrapWords(words, width - 6)
  return lines.map((line, index) => `${index === 0 ? '  ' : '    '}${line}${index < lines.length - 1 ? ' \\' : ''}`)
}

/** The help of the program itself: every command by group, on one screen. */
function rootPage(root: CommandNode, width: number): string {
  const parts = [
    wrap(`Usage: ${root.name} <command> [flags]`, width),
    wrap(root.summary, width),
    ...Object.entries(commandGroups).map(([title, names]) => groupLines(title, commandsOf(root, names), width)),
    [
      ...besideTitle(
        'Flags',
        '--url -P -A -O -o --json --ndjson -q -y --no-input … of every command: postern help flags',
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
  if (title === compactGroup) return besideTitle(title, names.join(', '), width)
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

/** The groups and commands of the help, in the order in which users meet them. */
export const commandGroups: Readonly<Record<string, readonly string[]>> = {
  'Get started': ['sign-up', 'sign-in', 'tui'],
  You: ['whoami', 'account', 'session', 'auth', 'sign-out'],
  Organizations: ['org', 'member', 'invitation', 'team', 'role'],
  Machines: ['key', 'api'],
  Service: ['serve', 'wait', 'migrate', 'dev', 'admin'],
  'This tool': ['doctor', 'profile', 'config', 'completion', 'commands', 'schema', 'version', 'help'],
}

/** These commands are listed by name only: those who need them know them. */
const compactGroup = 'This tool'
