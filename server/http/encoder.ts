import * as z from 'zod'
import { date, roleNames } from '../../shared/entities.ts'
import { inTeams } from '../../shared/organization.ts'
import { type OwnFieldUse, type OwnValues, ownFieldUse } from '../../shared/own-fields.ts'
import { EncodedAnswer } from '../request/encoded-answer.ts'
import { pickValues } from '../request/own-values.ts'
import { type AnswerField, RawList } from '../request/raw-list.ts'

type Schema = z.core.$ZodType
type Shape = Readonly<Record<string, Schema>>
type Encode = AnswerField['encode']
/** The fields that only the answers of some services have: own ones, and those of teams. */
interface AnsweredFields extends Readonly<Record<OwnFieldUse['of'], readonly string[]>> {
  readonly hasTeams: boolean
}

const usual: AnsweredFields = { user: [], organization: [], hasTeams: true }
const ofTeams = new Set<Schema>(Object.values(inTeams))

/**
 * Encodes values of a schema as `z.encode` does, and drops every field that the schema does not name, but checks
 * nothing: the compiler checked what our own code returns, and checking the rows of a list once more takes longer than
 * reading them.
 */
export function encoderOf(schema: Schema, answered = usual): Encode {
  if (schema instanceof z.ZodObject && !schema.def.catchall) return objectEncoder(schema.shape, answered)
  if (schema instanceof z.ZodArray) return arrayEncoder(schema.element, answered)
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

function objectEncoder(shape: Shape, answered: AnsweredFields): Encode {
  const fields = fieldsOf(shape, answered)
  return (value) => {
    const given = value as Readonly<Record<string, unknown>>
    const encoded: Record<string, unknown> = {}
    let own: object | undefined
    for (const { name, form, encode } of fields) {
      if (form === 'members') own = encode(given[name]) as object
      else encoded[name] = encode(given[name])
    }
    return own ? { ...encoded, ...own } : encoded
  }
}

/** The fields of an answer. Those of the service are members of it, and the last ones. */
function fieldsOf(shape: Shape, answered: AnsweredFields): readonly AnswerField[] {
  const use = ownFieldUse(shape)
  const own = use ? answered[use.of] : []
  const fields = Object.entries(shape)
    .filter(([name, schema]) => !(use && name === 'fields') && (answered.hasTeams || !ofTeams.has(schema)))
    .map(([name, schema]) => fieldOf(name, schema, answered))
  const pick = (values: unknown) => pickValues(values as OwnValues, own)
  return own.length === 0 ? fields : [...fields, { name: 'fields', form: 'members', encode: pick }]
}

function fieldOf(name: string, schema: Schema, answered: AnsweredFields): AnswerField {
  const encode = encoderOf(schema, answered)
  const inner = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? schema.unwrap() : schema
  const form = inner === date ? 'date' : inner === roleNames ? 'names' : encode === unchanged ? 'same' : 'other'
  return { name, form, encode }
}

/** Raw rows are written at once: the fields are all that the answer has of them. */
function arrayEncoder(element: Schema, answered: AnsweredFields): Encode {
  const encode = encoderOf(element, answered)
  if (encode === unchanged) return unchanged
  const fields = element instanceof z.ZodObject ? fieldsOf(element.shape, answered) : []
  return (value) =>
    value instanceof RawList
      ? new EncodedAnswer(value.toJson(fields))
      : (value as readonly unknown[]).map((entry) => encode(entry))
}

const absentOr = (encode: Encode): Encode =>
  encode === unchanged ? unchanged : (value) => (value === null || value === undefined ? value : encode(value))

function codecEncoder({ def }: z.ZodCodec): Encode {
  const encode = encoderOf(def.in)
  const reverse = def.reverseTransform as (value: unknown, payload: z.core.ParsePayload) => unknown
  return (value) => encode(reverse(value, { value, issues: [] }))
}
