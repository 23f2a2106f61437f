import type { OwnValues } from '../../shared/own-fields.ts'

/** The values of these fields. Null where there is none. */
export const pickValues = (fields: OwnValues, names: readonly string[]): OwnValues =>
  Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
