import type { Context } from '../context.ts'
import { askUntilAccepted } from '../flows/asking.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Done, Flow, Form, FormField, Texts } from '../flows/flow.ts'
import { formOf } from '../flows/form.ts'
import type { Question } from '../prompt/ask.ts'
import { flowPortsOf } from './flow-ports.ts'
import type { Argv } from './flow-ready.ts'

/** Asks for each field of the flow's form, with the current value proposed. Unchanged values are not sent. */
export async function editByAsking<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { words }: Argv,
): Promise<Done> {
  const ports = flowPortsOf(context)
  const subject = (await flow.subject.finder(ports, {} as ValuesOf<F>, words))(words[0])
  // Only screens know the permissions in advance; here the service decides.
  const form = formOf({ ...flow, disabledReason: () => undefined }, { subjects: [subject] })
  const asked = await askTexts(context, form, form.fields.filter(isForPeople(flow)))
  return askUntilAccepted<Texts, Done, never>(
    {
      send: (texts) => form.submit(ports, texts),
      refused: form.refused,
      ask: async (texts, { problems, refusal }) => {
        const { againText } = await import('../flows/refusals.ts')
        if (refusal) context.out.warn(againText(refusal))
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

const askTexts = (context: Context, form: Form, fields: readonly FormField[]): Promise<Texts> =>
  context.ask(
    Object.fromEntries(fields.map((field) => [field.name, questionIn(form, field)])),
    form.command(form.initial),
  )

function questionIn({ initial, problems }: Form, { name, label }: FormField): Question {
  const problem = (answer: string) => problems({ ...initial, [name]: answer })[name]
  return { flag: name, label, proposal: initial[name], mayBeEmpty: problem('') === undefined, problem }
}
