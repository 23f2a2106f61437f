import { Failure } from '../../shared/failure.ts'
import { inputProblem } from '../../shared/input-problem.ts'
import { requireStorableDate } from './storable-date.ts'

/** A filter of a list that its field does not allow. */
export const invalidFilter = (field: 'filterField' | 'filterOperator' | 'filterValue', expected: string) =>
  new Failure('INVALID_QUERY', { details: [inputProblem([field], expected)] })

export function filterDate(text: string): Date {
  if (!/^\d{4}-\d\d-\d\d/.test(text)) throw invalidFilter('filterValue', 'a date, like 2026-01-31')
  return requireStorableDate(new Date(text), 'INVALID_QUERY', ['filterValue'])
}
