import type { FieldTexts, Form, FormField } from '../../flows/flow.ts'
import { askUntilAccepted, type InteractiveSubmission } from '../../flows/submission.ts'
import { isRemoval, proposalText } from '../../prompt/proposal.ts'
import { readOptions } from '../forms/field-options.ts'
import type { LineTerminal } from './line-terminal.ts'

/** A field of a form that is asked for, with what is known of the others. */
export interface FieldQuestion {
  readonly form: Form
  readonly field: FormField
  readonly texts: FieldTexts
}

/** Asks until the answer is valid. Undefined when the answer is empty and there is no current value. */
export async function askField(terminal: LineTerminal, asked: FieldQuestion): Promise<string | undefined> {
  const { name, isSecret } = asked.field
  const before = asked.texts[name] ?? ''
  const question = questionFor(asked, before)
  const { example } = asked.field
  if (before === '' && example !== undefined) terminal.say(`Like ${example}.`)
  const ask = () => (isSecret ? terminal.askSecret(question) : terminal.ask(question))
  const judged = (answer: string) => validateAnswer(asked, textOfAnswer(asked, answer, before))
  const asking: InteractiveSubmission<string, string, undefined> = {
    check: (answer) => {
      const { problem } = judged(answer)
      return problem ? { [name]: problem } : {}
    },
    send: async (answer) => judged(answer).value,
    ask: async (answer, { problems }) => {
      if (answer === '') return undefined
      terminal.say(`${problems[name]}.`)
      return ask()
    },
  }
  return askUntilAccepted(asking, await ask())
}

function questionFor(asked: FieldQuestion, before: string): string {
  const label = labelOf(asked.field)
  return before ? `${label} ${proposalText(before, mayBeEmpty(asked))}:` : `${label}:`
}

/** An empty answer keeps the current value, and a dash removes it. */
function textOfAnswer(asked: FieldQuestion, answer: string, before: string): string {
  if (answer === '') return before
  return isRemoval(answer, mayBeEmpty(asked)) ? '' : answer
}

const mayBeEmpty = ({ form, field: { name, isOptional }, texts }: FieldQuestion): boolean =>
  isOptional && form.problems({ ...texts, [name]: '' })[name] === undefined

/** The value for an answer, or what is wrong with it. */
function validateAnswer(
  { form, field, texts }: FieldQuestion,
  text: string,
): { readonly value: string; readonly problem?: string | undefined } {
  const read = field.options && text !== texts[field.name] ? readOptions(field, text) : { value: text }
  if ('problem' in read) return { value: '', problem: read.problem }
  const { value } = read
  return { value, problem: form.problems({ ...texts, [field.name]: value })[field.name] }
}

/** The label with its options. Disabled options carry their reason. */
function labelOf({ label, kind, options }: FormField): string {
  if (kind === 'toggle') return `${label} (yes or no)`
  if (!options) return label
  const names = options.map(
    (option) => option.label + (option.disabledReason ? ` – refused: ${option.disabledReason}` : ''),
  )
  return `${label} (${names.join(', ')}${kind === 'list' ? '; several with commas' : ''})`
}
