/** A Markdown table; what would end a cell is escaped. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(escape).join(' | ')} |`.replaceAll('|  |', '| |'))
    .join('\n')

const escape = (cell: string): string => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')

export const code = (text: string): string => `\`${text}\``

const marks = /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(?=<!-- end -->)/g

/** The page with each generated part made anew. */
export function fillMarks(page: string, parts: Readonly<Record<string, string>>): string {
  return page.replaceAll(marks, (_, begin: string, name: string) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`Nothing generates ${name}: expected ${Object.keys(parts).join(', ')}`)
    return `${begin}\n${part}\n\n`
  })
}

/** The names of the generated parts of a page. */
export const marksIn = (page: string): readonly string[] => Array.from(page.matchAll(marks), ([, , name = '']) => name)

export interface CodeBlock {
  readonly language: string
  readonly text: string
}

/** Every fenced block, with its language. */
export const codeBlocks = (page: string): readonly CodeBlock[] =>
  Array.from(page.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm), ([, language = '', text = '']) => ({ language, text }))

/** Every piece of code within a line, outside the blocks. */
export const inlineCode = (page: string): readonly string[] =>
  Array.from(page.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/`([^`\n]+)`/g), ([, text = '']) => text)
