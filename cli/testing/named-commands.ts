import type { Command } from 'commander'
import ts from 'typescript'
import { commandAt } from '../argv/tree.ts'

/** The texts of a source file: what is filled in stands as VALUE. The words of a command come together as one text. */
export function textsOf(node: ts.Node): readonly string[] {
  const below: string[] = []
  ts.forEachChild(node, (child) => {
    below.push(...textsOf(child))
  })
  const own = ownText(node)
  return own === undefined ? below : [own, ...below]
}

function ownText(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && calledName(node) === 'commandLine') return node.arguments.flatMap(wordsOf).join(' ')
  // A flow tells its command without the name of the program.
  if (ts.isPropertyAssignment(node) && propertyName(node) === 'command' && ts.isStringLiteral(node.initializer))
    return node.initializer.text.startsWith('postern') ? undefined : `postern ${node.initializer.text}`
  return textIn(node)
}

function textIn(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return node.head.text + node.templateSpans.map(({ literal }) => `VALUE${literal.text}`).join('')
}

const wordsOf = (node: ts.Expression): readonly string[] => (ts.isSpreadElement(node) ? [] : [textIn(node) ?? 'VALUE'])
const calledName = ({ expression }: ts.CallExpression) => (ts.isIdentifier(expression) ? expression.text : undefined)
const propertyName = ({ name }: ts.PropertyAssignment) => (ts.isIdentifier(name) ? name.text : undefined)

/** Every `postern …` of a text, to where the command can be over. */
export const namedCommands = (text: string): readonly string[] =>
  Array.from(text.matchAll(/(?<![\w/.-])postern(?= [a-z])(?: [^\s;:,|<>()`$&]+)+/g), ([line]) =>
    line.replace(/[.?](?: .*)?$/, ''),
  )

/** The words of such a line that are no command, and its flags that the command does not take. */
export function unknownIn(program: Command, line: string): readonly string[] {
  const [, ...words] = line.replaceAll(/'[^']*'/g, 'VALUE').split(' ')
  let command = program
  while (words[0] !== undefined && command.commands.length > 0) {
    const below = commandAt(command, words.slice(0, 1))
    if (!below) return isArgument(command, words[0]) ? unknownFlags(command, words) : [words[0]]
    command = below
    words.shift()
  }
  return unknownFlags(command, words)
}

/** What stands behind all that such a line's command takes: words of the sentence, which whoever copies it would give along. */
export function surplusIn(program: Command, line: string): readonly string[] {
  const [, ...words] = line.split(' ')
  let command: Command | undefined = program
  while (command?.commands.length) command = commandAt(command, words.splice(0, 1))
  const { registeredArguments = [] } = command ?? {}
  if (registeredArguments.some(({ variadic }) => variadic)) return []
  const plain = words.filter((word, at) => !word.startsWith('-') && !words[at - 1]?.startsWith('-'))
  return plain.slice(registeredArguments.length)
}

/** What is filled in may be any word. */
const isArgument = ({ registeredArguments }: Command, word: string): boolean =>
  registeredArguments.length > 0 || word.startsWith('-') || word === 'VALUE'

function unknownFlags(command: Command, words: readonly string[]): readonly string[] {
  const known = new Set(['--help', ...flagsOf(command)])
  const flags = words.map((word) => word.replace(/=.*/s, '')).filter((word) => /^--?[a-z]/i.test(word))
  return flags.filter((flag) => !known.has(flag))
}

const flagsOf = ({ options, parent }: Command): readonly (string | undefined)[] => [
  ...options.flatMap(({ long, short }) => [long, short]),
  ...(parent ? flagsOf(parent) : []),
]
