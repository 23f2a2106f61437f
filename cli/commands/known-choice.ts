import { exitCodes } from '../../shared/exit-codes.ts'
import { type Field, usualOf, valueOfText } from '../flows/field.ts'
import type { Ports } from '../flows/ports.ts'
import { toCliError } from '../output/error-report.ts'
import type { Question } from '../prompt/ask.ts'

/** Of a list whose words the service knows: one that it does not know is asked for again before anything is sent. */
export async function knownChoice(field: Field, ports: Ports): Promise<Pick<Question, 'proposal' | 'problem'>> {
  if (field.kind !== 'list' || !field.complete) return {}
  const known = await field.complete(ports, []).catch(noneIfForbidden)
  if (known.length === 0) return {}
  const problem = (answer: string) => {
    const unknown = (valueOfText(field, answer) as readonly string[]).find((word) => !known.includes(word))
    return unknown && `${field.label}: there is no ${unknown}, only ${known.join(', ')}`
  }
  return { proposal: usualOf(field, known).join(','), problem }
}

/** Who may not look, as a key that is held to less, may still say. */
function noneIfForbidden(error: unknown): readonly string[] {
  if (toCliError(error).exitCode === exitCodes.forbidden) return []
  throw error
}
