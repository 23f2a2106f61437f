import { flagDescriptions } from '../argv/flags.ts'
import { type CommandNode, flattenTree } from '../argv/tree.ts'
import { topics } from '../topics/topics.ts'
import { bold, entry, example, page, paragraph, plain, section, subsection } from './roff.ts'

/** Every page by the name of its file: one of the program, one of each command with all below it. From the words of --help. */
export async function manPages(root: CommandNode, version: string): Promise<ReadonlyMap<string, string>> {
  const source = `postern ${version}`
  const pages = root.commands.map((node) => [`postern-${node.name}.1`, commandPage(node, source)] as const)
  return new Map([['postern.1', await rootPage(root, source)], ...pages])
}

async function rootPage(root: CommandNode, source: string): Promise<string> {
  return page(
    'postern',
    source,
    section('Name', `${plain('postern')} \\- ${plain(root.summary)}`),
    section('Synopsis', `${bold('postern')} ${plain('<command> [flags]')}`),
    section('Commands', ...root.commands.map(({ name, summary }) => entry(name, summary))),
    section('Options', ...flagDescriptions().map(([flags, told]) => entry(flags, told))),
    section('Environment', ...termsOf(await topics.environment?.text(200))),
    section('Exit status', ...termsOf(await topics['exit-codes']?.text(200))),
    section('Output', ...paragraphsOf(await topics.output?.text(200))),
    section('Scripts and CI', ...paragraphsOf(await topics.automation?.text(200))),
    section('Files', ...paragraphsOf(await topics.jar?.text(200))),
    section('See also', plain(root.commands.map(({ name }) => `postern-${name}(1)`).join(', '))),
  )
}

const commandPage = (node: CommandNode, source: string): string =>
  page(
    `postern-${node.name}`,
    source,
    section('Name', `${plain(`postern-${node.name}`)} \\- ${plain(node.summary)}`),
    section('Synopsis', ...flattenTree(node).filter(isRun).flatMap(usageLines)),
    section('Description', plain(node.summary), ...also(node)),
    ...(isRun(node) ? [section('Options', ...detailsOf(node))] : []),
    ...(node.commands.length > 0 ? [section('Commands')] : []),
    ...flattenTree(node)
      .filter((below) => below !== node && isRun(below))
      .map(describeCommand),
    section('See also', plain('postern(1), for the flags of every command, exit status and environment')),
  )

/** Not a mere group. */
const isRun = ({ commands, arguments: words }: CommandNode): boolean => commands.length === 0 || words.length > 0

const usageLines = (node: CommandNode): readonly string[] => [`${bold(node.path)} ${plain(wordsOf(node))}`, '.br']

const wordsOf = (node: CommandNode): string =>
  [
    ...(node.options.length > 0 ? ['[options]'] : []),
    ...node.arguments.map(({ name, required, variadic }) => {
      const word = variadic ? `${name}...` : name
      return required ? `<${word}>` : `[${word}]`
    }),
  ].join(' ')

const describeCommand = (node: CommandNode): string =>
  subsection(node.path, plain(node.summary), ...also(node), ...detailsOf(node))

const also = ({ aliases }: CommandNode): readonly string[] =>
  aliases.length > 0 ? [paragraph(`Also: ${aliases.join(', ')}`)] : []

/** Its arguments, its flags and its examples. */
const detailsOf = (node: CommandNode): readonly string[] => [
  ...node.arguments.map(({ name, summary, choices }) => entry(name, withChoices(summary, choices))),
  ...node.options.map(({ flags, summary, choices }) => entry(flags, withChoices(summary, choices))),
  ...(node.examples.length > 0 ? [paragraph('Examples:'), example(node.examples)] : []),
]

const withChoices = (summary: string, choices: readonly string[] | null): string =>
  choices ? `${summary} (${choices.join(', ')})` : summary

/** What a topic tells in two columns, and its closing lines. */
const termsOf = (text = ''): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const [, term, meaning] = /^ +(\S+(?:, \S+)*) +(\S.*)$/.exec(line) ?? []
    if (term !== undefined && meaning !== undefined) return [entry(term, meaning)]
    return line === '' ? [] : [paragraph(line)]
  })

/** Paragraphs; what is set in stands as it is, what stands in two columns as terms. */
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
  return entry(term, meaning)
}
