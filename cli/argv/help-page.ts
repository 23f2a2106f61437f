import { isAboutOutput } from '../output/output-form.ts'
import { type Row, wrap, wrapRows, wrapWords } from '../output/wrap.ts'
import { shortExitMeaning } from '../topics/exit-meanings.ts'
import { topicNames } from '../topics/topic-names.ts'
import type { CommandNode, OptionNode } from './tree.ts'

/** The --help page of a command of the tree, wrapped at `width` columns where its words allow that. */
export const helpPage = (root: CommandNode, node: CommandNode, width: number): string =>
  node === root ? rootPage(root, width) : commandPage(root, node, width)

function commandPage(root: CommandNode, node: CommandNode, width: number): string {
  const isShown = ({ flags }: OptionNode) => isAboutOutput(longNameOf(flags))
  const own = node.options.filter((option) => !isShown(option))
  const parts = [
    wrap(usageOf(node), width),
    wrap(node.summary, width),
    section('Arguments', node.arguments.map(argumentRow), width),
    section('Options', [...own.map(optionRow), ['-h, --help', 'show this help']], width),
    section('Output', node.options.filter(isShown).map(optionRow), width),
    section('Inherited', inheritedRows(root, node), width),
    section('Commands', node.commands.map(commandRow), width),
    exitLines(node, width),
    ['Examples:', ...node.examples.flatMap((line) => exampleLines(line, width))],
    wrap(globalFlags(node), width),
  ]
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n')
}

const globalFlags = ({ form }: CommandNode): string =>
  `Global flags (${form === 'none' ? '' : '-o, --json, '}--profile, --no-input …): postern help flags`

const longNameOf = (flags: string): string => /--[a-z-]+/.exec(flags)?.[0] ?? ''

/** The global flags that the command uses, each with the variable that does the same. */
const inheritedRows = (root: CommandNode, { inherits }: CommandNode): readonly Row[] =>
  inherits.flatMap((name) =>
    root.options
      .filter(({ flags }) => longNameOf(flags) === name)
      .map(({ flags, summary, variable }): Row => [flags, variable ? `${summary}; ${variable}` : summary]),
  )

function exitLines(node: CommandNode, width: number): readonly string[] {
  if (node.exitCodes.length === 0) return []
  return ['Exit codes:', ...wrap(exitText(node), width - 2).map((line) => `  ${line}`)]
}

/** `0 success, 2 usage, 4 not signed in` */
export const exitText = ({ exitCodes }: CommandNode): string =>
  exitCodes.map((code) => `${code} ${shortExitMeaning(code)}`).join(', ')

function usageOf(node: CommandNode): string {
  const parents = node.path.slice(0, -node.name.length)
  const below = node.commands.length > 0 ? ['[command]'] : []
  return ['Usage:', `${parents}${namesOf(node)}`, '[options]', ...below, ...argumentsOf(node)].join(' ')
}

const namesOf = ({ name, aliases }: CommandNode): string => [name, ...aliases.slice(0, 1)].join('|')

/** `<user>`, `[role...]`: the arguments of a command as its usage shows them. */
export const argumentsOf = (node: CommandNode): readonly string[] =>
  node.arguments.map(({ name, required, variadic }) => {
    const word = variadic ? `${name}...` : name
    return required ? `<${word}>` : `[${word}]`
  })

const section = (title: string, rows: readonly Row[], width: number): readonly string[] =>
  rows.length === 0 ? [] : [`${title}:`, ...wrapRows(rows, width)]

const argumentRow = (argument: CommandNode['arguments'][number]): Row => [argument.name, describedPart(argument)]
const optionRow = (option: OptionNode): Row => [option.flags, describedPart(option)]

/** What an argument or flag is, what it can be, and whether the command can do without it. */
export function describedPart({ summary, choices, required, asked }: Omit<OptionNode, 'flags' | 'variable'>): string {
  const need = asked ? 'required; asked for at a terminal' : required ? 'required' : ''
  const notes = [choices?.join(', ') ?? '', need].filter((note) => note !== '')
  return [summary, ...notes.map((note) => `(${note})`)].join(' ')
}

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
      ...besideTitle('Flags', 'postern help flags: --url -P -A -O -o --json -q -y --no-input …', width),
      ...besideTitle('Help', `postern <command> --help; postern help TOPIC: ${topicNames.join(', ')}`, width),
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
  Machines: ['key', 'webhook', 'api'],
  Service: ['serve', 'wait', 'migrate', 'import', 'export', 'admin'],
  More: [
    'backup',
    'restore',
    'dev',
    'doctor',
    'profile',
    'config',
    'alias',
    'extension',
    'completion',
    'commands',
    'schema',
    'version',
    'help',
  ],
}

/** These commands are listed by name only: those who need them know them. */
const compactGroup = 'More'
