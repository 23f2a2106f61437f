import * as z from 'zod'

/** The values of a service's own fields, by name. On the wire they are members of the user or organization itself. */
export type OwnValues = Readonly<Record<string, unknown>>

/** Where a schema has own fields. Without `write`: in an answer. */
export interface OwnFieldUse {
  readonly of: 'user' | 'organization'
  readonly write?: 'create' | 'update'
  /** Administrators may set more fields. */
  readonly by?: 'person' | 'admin'
  /** Other members are refused even by a service without own fields. */
  readonly isStrict?: true
}

const uses = new WeakMap<z.core.$ZodType, OwnFieldUse>()

const recordFor = (use: OwnFieldUse) => {
  const schema = z.record(z.string(), z.unknown())
  uses.set(schema, use)
  return schema
}

/** The member of an entity that holds its own fields. Only the configuration of a service knows which there are. */
export const ownFields = (of: OwnFieldUse['of']) => ({ fields: recordFor({ of }) })

/** The same for an input. */
export const ownFieldsInput = (use: OwnFieldUse) => ({ fields: recordFor(use).default({}) })

type Shape = Readonly<Record<string, z.core.$ZodType>>

/** How an object of this shape uses own fields. Undefined for one without. */
export const ownFieldUse = ({ fields }: Shape): OwnFieldUse | undefined =>
  fields && uses.get(fields instanceof z.ZodDefault ? fields.unwrap() : fields)

type Members = Readonly<Record<string, unknown>>
type Change = (value: unknown) => unknown
type Step = (shape: Shape) => (members: Members) => Members

/** Moves members that the schema does not name into `fields`, in every object that has own fields. */
export const gatherOwnFields = (schema: z.core.$ZodType): Change => changeOf(schema, gather)

/** Makes own fields members of their objects again. */
export const spreadOwnFields = (schema: z.core.$ZodType): Change => changeOf(schema, spread)

const gather: Step = (shape) => (members) => {
  const isOwn = ([name]: readonly [string, unknown]) => name === 'fields' || !Object.hasOwn(shape, name)
  const entries = Object.entries(members)
  const named = entries.filter((entry) => !isOwn(entry))
  // In an answer anything else is of a newer service. In an input it has to be refused by name.
  const isKept = ([, value]: readonly [string, unknown]) =>
    ownFieldUse(shape)?.write !== undefined || typeof value !== 'object' || value === null
  return { ...Object.fromEntries(named), fields: Object.fromEntries(entries.filter(isOwn).filter(isKept)) }
}

const spread: Step =
  () =>
  ({ fields, ...named }) => ({ ...Object(fields), ...named })

const unchanged: Change = (value) => value

function changeOf(schema: z.core.$ZodType, step: Step): Change {
  if (schema instanceof z.ZodObject) return objectChange(schema.shape, step)
  if (schema instanceof z.ZodArray) return listChange(changeOf(schema.element, step))
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return changeOf(schema.unwrap(), step)
  // An input that is left out may still lack a required field.
  if (schema instanceof z.ZodPrefault) return prefaultChange(changeOf(schema.unwrap(), step))
  return unchanged
}

function objectChange(shape: Shape, step: Step): Change {
  const inner = Object.entries(shape)
    .map(([name, schema]) => [name, changeOf(schema, step)] as const)
    .filter(([, change]) => change !== unchanged)
  const own = ownFieldUse(shape) && step(shape)
  if (inner.length === 0 && !own) return unchanged
  return (value) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
    const members: Members = own ? own(value as Members) : (value as Members)
    return { ...members, ...changedMembers(members, inner) }
  }
}

const changedMembers = (members: Members, inner: readonly (readonly [string, Change])[]): Members =>
  Object.fromEntries(
    inner.map(([name, change]) => [name, change(members[name])]).filter(([, value]) => value !== undefined),
  )

const listChange = (change: Change): Change =>
  change === unchanged
    ? unchanged
    : (value) => (Array.isArray(value) ? value.map((entry: unknown) => change(entry)) : value)

const prefaultChange = (change: Change): Change =>
  change === unchanged ? unchanged : (value) => change(value === undefined ? {} : value)
