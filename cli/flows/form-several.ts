import { isEmail } from '../../shared/email.ts'
import { emailExample, type Fields } from './field.ts'
import { bulkFieldOf, type FlowFacts } from './flow.ts'

/** The field of a form that takes several addresses at once. */
export function severalFieldOf<F extends Fields>(
  flow: Pick<FlowFacts<F>, 'fields'> & Pick<FlowFacts, 'bulk'>,
): string | undefined {
  const name = bulkFieldOf(flow)
  const field = name === undefined ? undefined : flow.fields[name]
  return field?.kind === 'text' && field.isEmail ? name : undefined
}

export const severalExample = `${emailExample}, ben@example.com`

/** Addresses between commas, semicolons, spaces and line ends, each once. */
export const addressesIn = (text: string): readonly string[] => [
  ...new Map(
    text
      .split(/[\s,;]+/)
      .filter((word) => word !== '')
      .map((word) => [word.toLowerCase(), word]),
  ).values(),
]

/** Which of several addresses are none. A single one, or nothing, has the message of any other field. */
export function severalProblem(text: string): string | undefined {
  const words = addressesIn(text)
  const wrong = words.filter((word) => !isEmail(word))
  return words.length > 1 && wrong.length > 0 ? `Not an e-mail address: ${wrong.join(', ')}` : undefined
}
