import { Failure } from '../../shared/failure.ts'
import { inputProblem } from '../../shared/input-problem.ts'

const [first, end] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Refuses dates outside the years 1 to 9999, which the database cannot read. */
export function requireStorableDate(
  moment: Date,
  failure: 'INVALID_BODY' | 'INVALID_QUERY',
  path: readonly [string, ...string[]],
): Date {
  const time = moment.getTime()
  if (!(time >= first && time <= end))
    throw new Failure(failure, { details: [inputProblem(path, 'a date of the years 1 to 9999')] })
  return moment
}
