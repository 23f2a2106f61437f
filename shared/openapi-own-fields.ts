import type * as z from 'zod'
import { type OwnFieldUse, ownFieldUse } from './own-fields.ts'

/** The JSON schema of the own fields in one place. */
export interface OwnFieldSchema {
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
}

/** How a service describes its own fields. */
export type DescribeOwnFields = (use: OwnFieldUse) => OwnFieldSchema

const mark = 'x-own-fields'

/** Marks the schema of `fields`, which only the service can describe. */
export function markOwnFields(schema: z.core.$ZodType, json: Record<string, unknown>): void {
  const use = ownFieldUse({ fields: schema })
  if (use) json[mark] = use
}

type JsonSchema = Readonly<Record<string, unknown>> & { readonly required?: readonly string[] }

/** The schema of an object in which own fields stand beside the others, as on the wire. */
export function withOwnFields(schema: JsonSchema | null, describe: DescribeOwnFields): unknown {
  const { fields, ...named } = Object(schema?.['properties'])
  if (!schema || !fields?.[mark]) return schema
  const { required: before = [], ...rest } = schema
  const { properties, required } = describe(fields[mark])
  const needed = [...before.filter((name) => name !== 'fields'), ...required]
  return { ...rest, properties: { ...named, ...properties }, ...(needed.length > 0 ? { required: needed } : {}) }
}
