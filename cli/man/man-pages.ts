import { flagDescriptions } from '../argv/flags.ts'
import { argumentsOf, describedPart, exitText } from '../argv/help-page.ts'
import { type CommandNode, flattenTree } from '../argv/tree.ts'
import { topics } from '../topics/topics.ts'
import { bold, escapeRoff, example, manPage, paragraph, section, subsection, termEntry } from './roff.ts'

/**
 * The man pages by file name: one for the program, and one for each top-level command with its subcommands. Made from
 * the texts of --help.
 */
export async function manPages(root: CommandNode, version: string): Promise<ReadonlyMap<string, string>> {
  const source = `postern ${version}`
  const pages = root.commands.map((node) => [`postern-${node.name}.1`, commandPage(node, source)] as const)
  return new Map([['postern.1', await rootPage(root, source)], ...pages])
}

async function rootPage(root: CommandNode, source: string): Promise<string> {
  return manPage(
    'postern',
    source,
    section('Name', `${escapeRoff('postern')} \\- ${escapeRoff(root.summary)}`),
    section('Synopsis', `${bold('postern')} ${escapeRoff('<command> [flags]')}`),
    section('Commands', ...root.commands.map(({ name, summary }) => termEntry(name, summary))),
    section('Options', ...flagDescriptions().map(([flags, told]) => termEntry(flags, told))),
    section('Environment', ...termsOf(await topics.environment?.text(200))),
    section('Exit status', ...termsOf(await topics['exit-codes']?.text(200))),
    section('Output', ...paragraphsOf(await topics.output?.text(200))),
    section('Scripts and CI', ...paragraphsOf(await topics.automation?.text(200))),
    section('Files', ...paragraphsOf(await topics.jar?.text(200))),
    section('See also', escapeRoff(root.commands.map(({ name }) => `postern-${name}(1)`).join(', '))),
  )
}

const commandPage = (node: CommandNode, source: string): string =>
  manPage(
    `postern-${node.name}`,
    source,
    section('Name', `${escapeRoff(`postern-${node.name}`)} \\- ${escapeRoff(node.summary)}`),
    section('Synopsis', ...flattenTree(node).filter(isRun).flatMap(usageLines)),
    section('Description', escapeRoff(node.summary), ...also(node)),
    ...(isRun(node) ? [section('Options', ...detailsOf(node))] : []),
    ...(node.commands.length > 0 ? [section('Commands')] : []),
    ...flattenTree(node)
      .filter((below) => below !== node && isRun(below))
      .map(describeCommand),
    section('See also', escapeRoff('postern(1), for the flags of every command, exit status and environment')),
  )

/** Whether the command does something itself and is not just a group. */
const isRun = ({ commands, arguments: words }: CommandNode): boolean => commands.length === 0 || words.length > 0

const usageLines = (node: CommandNode): readonly string[] => [`${bold(node.path)} ${escapeRoff(wordsOf(node))}`, '.br']

const wordsOf = (node: CommandNode): string =>
  [...(node.options.length > 0 ? ['[options]'] : []), ...argumentsOf(node)].join(' ')

const describeCommand = (node: CommandNode): string =>
  subsection(node.path, escapeRoff(node.summary), ...also(node), ...detailsOf(node))

const also = ({ aliases }: CommandNode): readonly string[] =>
  aliases.length > 0 ? [paragraph(`Also: ${aliases.join(', ')}`)] : []

/** The command's arguments, flags and examples. */
const detailsOf = (node: CommandNode): readonly string[] => [
  ...node.arguments.map((argument) => termEntry(argument.name, describedPart(argument))),
  ...node.options.map((option) => termEntry(option.flags, describedPart(option))),
  ...(node.inherits.length > 0 ? [paragraph(`Also uses: ${node.inherits.join(', ')}. See postern(1).`)] : []),
  ...(node.exitCodes.length > 0 ? [paragraph(`Exit status: ${exitText(node)}.`)] : []),
  ...(node.examples.length > 0 ? [paragraph('Examples:'), example(node.examples)] : []),
]

/** Turns a topic's two-column rows into terms, and its other lines into paragraphs. */
const termsOf = (text = ''): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const [, term, meaning] = /^ +(\S+(?:, \S+)*) +(\S.*)$/.exec(line) ?? []
    if (term !== undefined && meaning !== undefined) return [termEntry(term, meaning)]
    return line === '' ? [] : [paragraph(line)]
  })

/** Turns a topic into paragraphs. Indented lines become examples, and two-column rows become terms. */
function paragraphsOf(text = ''): readonly string[] {
  const blocks: string[][] = []
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const last = blocks.at(-1)
    if (isSetIn(line) && last?.every(isSetIn)) last.push(line)
    else blocks.push([line])
  }
  return blocks.flatMap((lines) => {
    if (!lines.every(isSetIn)) return lines.map(paragraph)
    return lines.every(isRow) ? lines.map(rowEntry) : [example(lines)]
  })
}

const columns = /^ +(\S.*?) {2,}(\S.*)$/
const isSetIn = (line: string): boolean => line.startsWith('  ')
const isRow = (line: string): boolean => columns.test(line)

function rowEntry(line: string): string {
  const [, term = '', meaning = ''] = columns.exec(line) ?? []
  return termEntry(term, meaning)
}
