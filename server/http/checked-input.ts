import type { Call } from '../../shared/contract/call.ts'
import { expectations, type InputProblem, problemsIn } from '../../shared/input-problem.ts'
import { gatherOwnFields, type OwnValues, ownFieldPlaces } from '../../shared/own-fields.ts'
import type { OwnFieldSettings } from '../settings/own-fields.ts'

type CheckedInput =
  | { readonly input: unknown }
  | { readonly problems: readonly InputProblem[]; readonly cause?: unknown }

/** Checks the input of a call by its schema, and the own fields in it by the settings. */
export function inputCheckOf({ input: schema }: Call, settings: OwnFieldSettings): (raw: unknown) => CheckedInput {
  const gather = gatherOwnFields(schema)
  const places = ownFieldPlaces(schema).map(({ path, use }) => ({ path, fields: settings[use.of].inputOf(use) }))
  return (raw) => {
    const given = gather(raw)
    const { data, error } = schema.safeParse(given, expectations)
    if (error) return { problems: problemsIn(error.issues, given), cause: error }
    let input = data
    for (const { path, fields } of places) {
      const own = valueAt(input, [...path, 'fields'])
      const read = fields.safeParse(own, expectations)
      if (!read.success) return { problems: problemsIn(read.error.issues, own, path), cause: read.error }
      input = replaceAt(input, [...path, 'fields'], read.data)
    }
    return { input }
  }
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => Object(inner)[name], value)

const replaceAt = (value: unknown, [name, ...rest]: readonly string[], part: OwnValues): unknown =>
  name === undefined ? part : { ...Object(value), [name]: replaceAt(Object(value)[name], rest, part) }
