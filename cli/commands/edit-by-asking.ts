import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { FieldTexts, Flow, FlowResult, Form, FormField } from '../flows/flow.ts'
import { formOf } from '../flows/form.ts'
import { askUntilAccepted } from '../flows/submission.ts'
import type { Question } from '../prompt/ask.ts'
import { flowContextOf, keepOrganization } from './flow-context.ts'
import { withOwnFields } from './own-field-questions.ts'
import type { Argv } from './ready-line.ts'

/** Asks for each field of the flow's form, with the current value proposed. Unchanged values are not sent. */
export async function editByAsking<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { words }: Argv,
): Promise<FlowResult> {
  const flowContext = keepOrganization(flowContextOf(context))
  const subject = await (await flow.subject.finder(flowContext, {} as ValuesOf<F>, words))(words[0])
  // Only screens know the permissions in advance; here the service decides.
  const known = formOf({ ...flow, disabledReason: () => undefined }, { subjects: [subject] })
  const form = await withOwnFields(flowContext, known)
  const asked = await askTexts(context, form, form.fields.filter(isForPeople(flow)))
  return askUntilAccepted<FieldTexts, FlowResult, never>(
    {
      send: (texts) => form.submit(flowContext, texts),
      refused: form.refused,
      ask: async (texts, { problems, refusal }) => {
        const { retryText } = await import('../flows/refusals.ts')
        if (refusal) context.out.warn(retryText(refusal))
        return {
          ...texts,
          ...(await askTexts(
            context,
            form,
            form.fields.filter(({ name }) => name in problems),
          )),
        }
      },
    },
    { ...form.initial, ...asked },
  )
}

/** Fields that can come from a file are too long for one line. A flag changes them. */
const isForPeople =
  ({ fields }: { readonly fields: Fields }) =>
  ({ name }: FormField): boolean => {
    const field = fields[name]
    return !(field?.kind === 'text' && field.mayBeFile)
  }

const askTexts = (context: Context, form: Form, fields: readonly FormField[]): Promise<FieldTexts> =>
  context.ask(
    Object.fromEntries(fields.map((field) => [field.name, questionIn(form, field)])),
    form.command(form.initial),
  )

function questionIn({ initial, problems }: Form, field: FormField): Question {
  const { name } = field
  const label = labelOf(field)
  const problem = (answer: string) => problems({ ...initial, [name]: answer })[name]
  return { flag: name, label, proposal: initial[name], mayBeEmpty: problem('') === undefined, problem }
}

/** The label, with what an own field can be. */
function labelOf({ label, options = [], isOwn }: FormField): string {
  const words = options.map(({ id }) => id).filter(Boolean)
  return isOwn && words.length > 0 ? `${label} (${words.join(', ')})` : label
}
