import type { FailureName } from '../../shared/errors.ts'
import { Failure } from '../../shared/failure.ts'

const [first, end] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Refuses what no clock shows: the database reads only years of four digits, and none before the first. */
export function requireMoment(moment: Date, failure: FailureName): Date {
  const time = moment.getTime()
  if (!(time >= first && time <= end)) throw new Failure(failure)
  return moment
}
