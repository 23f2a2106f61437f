import { Option } from 'commander'
import { usageError } from '../output/cli-error.ts'
import { type FormFlags, type OutputForm, outputForms } from '../output/output-form.ts'
import { commandLine } from '../output/shell-line.ts'

const isForm = (word: string): word is OutputForm => (outputForms as readonly string[]).includes(word)

/** `-o` was once the organization, as it is in other tools. */
function parseForm(word: string): OutputForm {
  if (isForm(word)) return word
  throw usageError(
    `-o takes the form of the output, not ${word}`,
    `Forms: ${outputForms.join(', ')}. The organization is ${commandLine('-O', word)}`,
    ['--output'],
  )
}

export const outputOption = (): Option =>
  new Option('-o, --output <form>', `the form of the output: ${outputForms.join(', ')}`)
    .choices(outputForms)
    .argParser(parseForm)

/** `--json=a,b` selects fields for another form of JSON, and a jq program can read one item at a time. */
const together = [
  ['json', 'ndjson', 'jq'],
  ['json', 'template'],
]

/** Rejects two forms at once that do not go together. */
export function checkForm(flags: FormFlags): void {
  const given = formsIn(flags)
  const forms = new Set(given.map(({ form }) => form))
  if (forms.size < 2 || together.some((those) => [...forms].every((form) => those.includes(form)))) return
  const names = given.map(({ flag }) => flag)
  throw usageError(`${names.join(' and ')} cannot be combined`, 'Choose one output format', names)
}

/** Refuses `-o csv` and `-o tsv` for an answer without rows, such as a nested document. */
export function refuseRows({ output }: FormFlags): void {
  if (output !== 'csv' && output !== 'tsv') return
  const hint = `Choose -o json or -o yaml, or make rows of it: --jq '… | @${output}'`
  throw usageError(`This answer has no rows, so it cannot be printed as ${output}`, hint, ['--output'])
}

const formsIn = ({ output, json, ndjson, quiet, template, jq }: FormFlags) =>
  [
    json !== undefined && { flag: '--json', form: 'json' },
    ndjson && { flag: '--ndjson', form: 'ndjson' },
    quiet && { flag: '--quiet', form: 'name' },
    output && { flag: `--output ${output}`, form: output },
    template !== undefined && { flag: '--template', form: 'template' },
    jq !== undefined && { flag: '--jq', form: 'jq' },
  ].filter((one) => typeof one === 'object')
