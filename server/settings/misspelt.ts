import { isSetting } from './names.ts'
import { SettingsSchema } from './schema.ts'

/** Shorter names may well be somebody else's. */
const shortest = 6

/**
 * A sentence for each name that is no setting and one slip of the keyboard away from one. Other names belong to other
 * programs: they share an environment and `.env`.
 */
export const misspeltSettings = (names: readonly string[]): readonly string[] =>
  names
    .filter((name) => name.length >= shortest && !isSetting(name))
    .flatMap((name) => {
      const meant = Object.keys(SettingsSchema.shape).find((setting) => isOneSlipAway(name, setting))
      return meant === undefined ? [] : [`${name} is no setting and has no effect: is ${meant} meant?`]
    })

/** One letter more, less or another, or two that changed places. */
function isOneSlipAway(one: string, other: string): boolean {
  const [a, b] = withoutCommonEnds(one, other)
  return Math.max(a.length, b.length) === 1 || (a.length === 2 && a === b.charAt(1) + b.charAt(0))
}

function withoutCommonEnds(one: string, other: string): readonly [string, string] {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  let end = 0
  const most = Math.min(one.length, other.length) - start
  while (end < most && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return [one.slice(start, one.length - end), other.slice(start, other.length - end)]
}
