import { loadJq } from 'jq-wasm/inline'
import { interruptible } from '../process/interruptible.ts'
import { usageError } from './cli-error.ts'
import { escapeControls, jsonText } from './escape-controls.ts'
import type { OutputStyle } from './out.ts'

/** Writes what a jq program makes of the JSON: a text as it is, as `gh --jq` does, anything else as JSON. */
export async function jqWriter(program: string, indent: number | undefined): Promise<OutputStyle['document']> {
  const jq = await loadJq()
  // What begins with a dash would be a flag.
  const query = program.startsWith('-') ? ` ${program}` : program
  const run = (json: string, hint: string) => {
    const { stdout, stderr, exitCode } = interruptible(() => jq.raw(json, query, ['-c']))
    if (exitCode !== 0) throw usageError(`--jq: ${reasonIn(stderr)}`, hint, ['--jq'])
    return stdout
  }
  // Without input it is only compiled: a mistake is found before anything is sent.
  run('', 'The language: https://jqlang.org/manual/v1.8/')
  return (value) =>
    run(JSON.stringify(value), 'Only the output failed. See what the program reads: --json')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => shown(JSON.parse(line), indent))
}

/** The first line of jq's own message; a caret below shows the place once more. */
const reasonIn = (stderr: string): string =>
  (stderr.split('\n')[0] ?? '').replace(/^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /, '').replace(/:$/, '')

const shown = (value: unknown, indent: number | undefined): string =>
  typeof value === 'string'
    ? value
        .split(/([\n\t])/)
        .map(escaped)
        .join('')
    : jsonText(value, indent)

/** Lines and tabs are the program's own. */
const escaped = (text: string): string => (text === '\n' || text === '\t' ? text : escapeControls(text))
