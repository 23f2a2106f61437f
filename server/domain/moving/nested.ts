import { isStorable } from '../../../shared/text-rules.ts'

/** Deeper values are refused: a function that walks through them would exceed the call stack. */
const maxDepth = 100

/** About as many characters as the value has in JSON. */
export function lengthOf(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null || depth > maxDepth) return 5
  let length = 2
  for (const [name, part] of Object.entries(value)) length += name.length + 4 + lengthOf(part, depth + 1)
  return length
}

/** Why a value cannot be stored. */
export function nestedProblem(value: unknown, depth = 0): 'INVALID_TEXT' | 'TOO_DEEP' | null {
  if (typeof value === 'string') return isStorable(value) ? null : 'INVALID_TEXT'
  if (typeof value !== 'object' || value === null) return null
  if (depth > maxDepth) return 'TOO_DEEP'
  for (const [name, part] of Object.entries(value)) {
    const problem = isStorable(name) ? nestedProblem(part, depth + 1) : 'INVALID_TEXT'
    if (problem !== null) return problem
  }
  return null
}
