import type { Call } from '../../shared/contract/call.ts'
import { canonicalEmail } from '../../shared/email.ts'
import { AnswerError } from './errors.ts'

/**
 * Throws when a well-formed answer contradicts the question: it is about something else, or says that nothing was done.
 */
export function checkAnswer(call: Call, argument: unknown, answer: unknown): void {
  if (saysNo(call, answer)) throw contradiction(call, 'says that it was not done')
  const asked: Readonly<Record<string, unknown>> = Object(argument)
  const repeated = Object.entries({ organizationId: 'organizationId', ...call.repeats })
  if (repeated.some(([name, path]) => differs(asked[name], valuesAt(answer, path))))
    throw contradiction(call, 'is about something else')
  // A list may be empty, and what is looked up may not exist. A change has changed something.
  const named = Object.entries(call.repeats ?? {}).filter(([name]) => typeof asked[name] === 'string')
  if (isChange(call) && named.some(([, path]) => valuesAt(answer, path).length === 0))
    throw contradiction(call, 'does not say what was changed')
}

export const isChange = ({ method, isReading, isWriting }: Call): boolean =>
  method === 'POST' ? !isReading : isWriting === true

const saysNo = ({ isReading }: Call, answer: unknown): boolean => {
  const { status, success } = Object(answer)
  return status === false || (success === false && !isReading)
}

function differs(asked: unknown, told: readonly unknown[]): boolean {
  return typeof asked === 'string' && told.some((one) => typeof one === 'string' && !isSame(asked, one))
}

const isSame = (asked: string, told: string): boolean =>
  asked === told || (asked.includes('@') && canonicalEmail(asked) === canonicalEmail(told))

/** The values at a path such as `user.id`, in each item of the lists on the way. */
const valuesAt = (answer: unknown, path: string): readonly unknown[] =>
  path
    .split('.')
    .reduce<readonly unknown[]>(
      (values, name) => values.flatMap((value): unknown => Object(value)[name] ?? []),
      [answer].flat(),
    )

const contradiction = ({ method, path }: Call, what: string): AnswerError =>
  new AnswerError(
    `The answer to ${method} ${path} ${what}`,
    method === 'GET'
      ? 'Check that the address is right: postern auth status --explain'
      : 'The change may or may not have been made: check before you repeat it',
  )
