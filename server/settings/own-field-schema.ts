import type { listFields } from '../../shared/contract/account.ts'
import type { Output } from '../../shared/contract/call.ts'
import type { OwnFieldSchema } from '../../shared/openapi-own-fields.ts'
import { maxOwnText } from '../../shared/own-field-kinds.ts'
import type { OwnFieldUse } from '../../shared/own-fields.ts'
import {
  type FieldKind,
  isNeededToCreate,
  maySet,
  type OwnField,
  type OwnFieldRules,
  type OwnFieldSettings,
} from './own-fields.ts'

/** Own fields as OpenAPI describes them: those that answers have, or those that may be given. */
export function ownFieldSchema({ fields, answered }: OwnFieldRules, use: OwnFieldUse): OwnFieldSchema {
  const named = Object.entries(fields).filter(([name, field]) =>
    use.write ? maySet(field, use) : answered.includes(name),
  )
  const needed = named.filter(([, field]) => !use.write || (use.write === 'create' && isNeededToCreate(field)))
  return {
    properties: Object.fromEntries(
      named.map(([name, { kind, required }]) => [name, schemaOf(kind, use.write === undefined || !required)]),
    ),
    required: needed.map(([name]) => name),
  }
}

const schemas = {
  text: { type: 'string', maxLength: maxOwnText },
  number: { type: 'number' },
  flag: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
} as const

/** In answers even a required field is null where it was not required yet. */
function schemaOf(kind: FieldKind, isNullable: boolean): object {
  const schema = typeof kind === 'string' ? schemas[kind] : { type: 'string', enum: [...kind] }
  return isNullable ? { anyOf: [schema, { type: 'null' }] } : schema
}

type ToldField = Output<typeof listFields>[number]

/** The own fields that can be set, as forms need to know them. */
export const toldFields = (settings: OwnFieldSettings): readonly ToldField[] =>
  (['user', 'organization'] as const).flatMap((of) =>
    Object.entries(settings[of].fields)
      .filter(([, field]) => maySet(field, { of, by: 'admin' }))
      .map(([name, field]) => ({ of, name, ...toldField(field) })),
  )

const toldField = ({ kind, required = false, default: standard, input }: OwnField) => ({
  ...(typeof kind === 'string' ? { type: kind } : { type: 'choice' as const, choices: [...kind] }),
  required,
  ...(standard !== undefined && { default: standard }),
  setBy: input === 'admin' ? ('admin' as const) : ('person' as const),
})
