import type { OwnFieldSchema } from '../../shared/openapi-own-fields.ts'
import type { OwnFieldUse } from '../../shared/own-fields.ts'
import { type FieldKind, isNeeded, maxTextLength, maySet, type OwnFieldRules } from './own-fields.ts'

/** Own fields as OpenAPI describes them: those that answers have, or those that may be given. */
export function ownFieldSchema({ fields, answered }: OwnFieldRules, use: OwnFieldUse): OwnFieldSchema {
  const named = Object.entries(fields).filter(([name, field]) =>
    use.write ? maySet(field, use) : answered.includes(name),
  )
  const needed = named.filter(([, field]) => !use.write || (use.write === 'create' && isNeeded(field)))
  return {
    properties: Object.fromEntries(
      named.map(([name, { kind, required }]) => [name, schemaOf(kind, use.write === undefined || !required)]),
    ),
    required: needed.map(([name]) => name),
  }
}

const schemas = {
  text: { type: 'string', maxLength: maxTextLength },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
} as const

/** In answers even a required field is null where it was not required yet. */
function schemaOf(kind: FieldKind, isNullable: boolean): object {
  const schema = typeof kind === 'string' ? schemas[kind] : { type: 'string', enum: [...kind] }
  return isNullable ? { anyOf: [schema, { type: 'null' }] } : schema
}
