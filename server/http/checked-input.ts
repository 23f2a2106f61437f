import * as z from 'zod'
import type { Call } from '../../shared/contract/call.ts'
import { expectations, type InputProblem, problemsIn } from '../../shared/input-problem.ts'
import { gatherOwnFields, type OwnFieldUse, type OwnValues, ownFieldUse } from '../../shared/own-fields.ts'
import type { OwnFieldSettings } from '../settings/own-fields.ts'

interface OwnFieldPlace {
  /** The names that lead to the object. */
  readonly path: readonly string[]
  readonly use: OwnFieldUse
}

/** The objects of an input that have own fields. */
function ownFieldPlaces(schema: z.core.$ZodType, path: readonly string[] = []): readonly OwnFieldPlace[] {
  if (schema instanceof z.ZodPrefault) return ownFieldPlaces(schema.unwrap(), path)
  if (!(schema instanceof z.ZodObject)) return []
  const use = ownFieldUse(schema.shape)
  const inner = Object.entries<z.core.$ZodType>(schema.shape)
  return [...(use ? [{ path, use }] : []), ...inner.flatMap(([name, one]) => ownFieldPlaces(one, [...path, name]))]
}

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
