import type { Flags } from '../argv/flags.ts'
import { usageError } from './cli-error.ts'
import { escapeControls, jsonText } from './escape-controls.ts'
import type { OutputStyle } from './out.ts'

type Writer = OutputStyle['document']

/** What writes a document in another form than JSON, loaded only when it is asked for. */
export async function documentWriter(flags: Flags, indent: number | undefined): Promise<Writer | undefined> {
  const { output, template, jq } = flags
  if (jq !== undefined) return (await import('./jq-writer.ts')).jqWriter(jq, indent)
  if (template !== undefined) return templateWriter(template)
  if (output !== 'yaml') return undefined
  const { yamlText } = await import('./yaml-text.ts')
  return (value) => [yamlText(plain(value)).trimEnd()]
}

/** What a JSON parser would read. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** The same without characters that a terminal would act on, so the text made of it may be printed as it is. */
const printable = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (typeof each === 'string' ? escapeControls(each) : each))

async function templateWriter(template: string): Promise<Writer> {
  const { default: mustache } = await import('mustache')
  const wrong = (error: unknown) =>
    usageError(`--template: ${(error as Error).message}`, 'The language: https://mustache.github.io/mustache.5.html', [
      '--template',
    ])
  tryOr(() => mustache.parse(template), wrong)
  // The text is not HTML, so nothing is escaped for it.
  const escape = (value: unknown) => (typeof value === 'string' ? value : jsonText(value))
  return (value) => {
    const text = mustache.render(template, printable(value), {}, { escape }).replace(/\n$/, '')
    return text === '' ? [] : [text]
  }
}

function tryOr<T>(work: () => T, told: (error: unknown) => Error): T {
  try {
    return work()
  } catch (error) {
    throw told(error)
  }
}
