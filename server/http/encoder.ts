import * as z from 'zod'
import { type OwnFieldUse, type OwnValues, ownFieldUse } from '../../shared/own-fields.ts'
import { pickValues } from '../request/own-values.ts'

type Schema = z.core.$ZodType
type Encode = (value: unknown) => unknown
/** The own fields that answers have. */
type AnsweredFields = Readonly<Record<OwnFieldUse['of'], readonly string[]>>

const noFields: AnsweredFields = { user: [], organization: [] }

/**
 * Encodes values of a schema as `z.encode` does, and drops every field that the schema does not name, but checks
 * nothing: the compiler checked what our own code returns, and checking the rows of a list once more takes longer than
 * reading them.
 */
export function encoderOf(schema: Schema, answered = noFields): Encode {
  if (schema instanceof z.ZodObject && !schema.def.catchall) return objectEncoder(schema.shape, answered)
  if (schema instanceof z.ZodArray) return arrayEncoder(encoderOf(schema.element, answered))
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return absentOr(encoderOf(schema.unwrap(), answered))
  if (schema instanceof z.ZodReadonly) return encoderOf(schema.unwrap(), answered)
  if (schema instanceof z.ZodCodec) return codecEncoder(schema)
  return isPlain(schema) ? unchanged : (value) => z.encode(schema, value as never)
}

const unchanged: Encode = (value) => value

const isPlain = (schema: Schema): boolean =>
  schema instanceof z.ZodString ||
  schema instanceof z.ZodStringFormat ||
  schema instanceof z.ZodNumber ||
  schema instanceof z.ZodBoolean ||
  schema instanceof z.ZodEnum ||
  schema instanceof z.ZodLiteral

function objectEncoder(shape: Readonly<Record<string, Schema>>, answered: AnsweredFields): Encode {
  const use = ownFieldUse(shape)
  const own = use ? answered[use.of] : []
  const fields = Object.entries(shape)
    .filter(([name]) => !use || name !== 'fields')
    .map(([name, schema]) => ({ name, encode: encoderOf(schema, answered) }))
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>
    const encoded: Record<string, unknown> = {}
    for (const { name, encode } of fields) encoded[name] = encode(given[name])
    return own.length === 0 ? encoded : { ...encoded, ...pickValues(given['fields'] as OwnValues, own) }
  }
}

const arrayEncoder = (encode: Encode): Encode =>
  encode === unchanged ? unchanged : (value) => (value as readonly unknown[]).map((entry) => encode(entry))

const absentOr = (encode: Encode): Encode =>
  encode === unchanged ? unchanged : (value) => (value === null || value === undefined ? value : encode(value))

function codecEncoder({ def }: z.ZodCodec): Encode {
  const encode = encoderOf(def.in)
  const reverse = def.reverseTransform as (value: unknown, payload: z.core.ParsePayload) => unknown
  return (value) => encode(reverse(value, { value, issues: [] }))
}
