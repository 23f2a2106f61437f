/** The part of JSON Schema 2020-12 that our OpenAPI document uses; anything else in a schema is a violation too. */
export interface Schema {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  /** What the names of a record are like, and what it holds under any of them. */
  readonly propertyNames?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly maxLength?: number
  readonly minLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
}

const parts = ['properties', 'propertyNames', 'additionalProperties', 'items', 'anyOf']
const bounds = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum']
/** What says nothing about a value. */
const notes = ['description', 'examples']
const known = new Set([...parts, ...bounds, 'type', 'required', 'enum', 'pattern', 'format', ...notes])
const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

/** What is wrong with a schema itself. */
export function faultsOf(schema: Schema, path = '$'): string[] {
  const { properties = {}, required = [], items, anyOf = [] } = schema
  const others = [schema.propertyNames, schema.additionalProperties].filter((inner) => typeof inner === 'object')
  const names = [schema.type ?? []].flat()
  return [
    ...Object.keys(schema).flatMap((key) => (known.has(key) ? [] : [`${path}: unknown keyword ${key}`])),
    ...names.flatMap((name) => (types.has(name) ? [] : [`${path}: unknown type ${name}`])),
    ...required.flatMap((key) => (key in properties ? [] : [`${path}: requires ${key}, which it does not describe`])),
    ...Object.entries(properties).flatMap(([key, inner]) => faultsOf(inner, `${path}.${key}`)),
    ...anyOf.flatMap((inner, index) => faultsOf(inner, `${path}|${index}`)),
    ...(items ? faultsOf(items, `${path}[]`) : []),
    ...others.flatMap((inner) => faultsOf(inner, `${path}.*`)),
  ]
}

/** Where a value breaks its schema. A key that the schema does not describe is a violation: nothing may leak. */
export function violationsOf(schema: Schema, value: unknown, path = '$'): string[] {
  if (Object.keys(schema).every((key) => notes.includes(key))) return []
  if (schema.anyOf)
    return schema.anyOf.some((inner) => violationsOf(inner, value).length === 0) ? [] : [`${path}: no variant`]
  const names = [schema.type ?? []].flat()
  if (names.length > 0 && !names.includes(typeOf(value)))
    return [`${path}: ${typeOf(value)} is not ${names.join(' or ')}`]
  if (schema.enum && !schema.enum.includes(value)) return [`${path}: ${JSON.stringify(value)} is not listed`]
  return innerViolations(schema, value, path)
}

function innerViolations(schema: Schema, value: unknown, path: string): string[] {
  if (typeof value === 'string') return textViolations(schema, value, path)
  if (typeof value === 'number') return sizeViolations(value, [schema.minimum, schema.maximum], path)
  if (Array.isArray(value))
    return [
      ...sizeViolations(value.length, [schema.minItems, schema.maxItems], path),
      ...value.flatMap((item, index) => violationsOf(schema.items ?? {}, item, `${path}[${index}]`)),
    ]
  return value !== null && typeof value === 'object' ? objectViolations(schema, value, path) : []
}

const sizeViolations = (
  size: number,
  [least = size, most = size]: readonly [number | undefined, number | undefined],
  path: string,
): string[] => (size < least || size > most ? [`${path}: ${size} is not from ${least} to ${most}`] : [])

const textViolations = ({ pattern, minLength, maxLength }: Schema, text: string, path: string): string[] => [
  ...(pattern === undefined || new RegExp(pattern, 'u').test(text) ? [] : [`${path}: ${text} does not match`]),
  ...sizeViolations(text.length, [minLength, maxLength], path),
]

function objectViolations(
  { properties = {}, required = [], additionalProperties }: Schema,
  value: object,
  path: string,
): string[] {
  const missing = required.filter((key) => !(key in value)).map((key) => `${path}.${key}: missing`)
  const inner = Object.entries(value).flatMap(([key, part]) => {
    const schema = properties[key] ?? additionalProperties
    return typeof schema === 'object' ? violationsOf(schema, part, `${path}.${key}`) : [`${path}.${key}: not described`]
  })
  return [...missing, ...inner]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
