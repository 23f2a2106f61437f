import * as z from 'zod'
import { signUpEmail, updateUser } from '../../shared/contract/account.ts'
import { createUser, listUsers } from '../../shared/contract/admin.ts'
import { create, update } from '../../shared/contract/organization.ts'
import { FullUser } from '../../shared/entities.ts'
import { redirectFields } from '../../shared/failure.ts'
import { FullOrganization, ListedOrganization } from '../../shared/organization.ts'
import { expectedOf, maxOwnText, numberText } from '../../shared/own-field-kinds.ts'
import type { OwnFieldUse, OwnValues } from '../../shared/own-fields.ts'
import { issueSentence } from './fields.ts'

/** A list: one of these texts. */
export type FieldKind = 'text' | 'number' | 'flag' | 'date' | readonly string[]

/** A field of the application's own, which users or organizations have beside ours. */
export interface OwnField {
  readonly kind: FieldKind
  /** New users or organizations need it, and it cannot be removed. Those that exist already are let be. */
  readonly required?: boolean | undefined
  /** What new users or organizations have unless something else is said. */
  readonly default?: string | number | boolean | undefined
  /**
   * Who may set it. True, by default: the person themselves, or the members who may change the organization. `admin`:
   * only administrators of the platform and trusted servers. False: nobody, so it keeps its default.
   */
  readonly input?: boolean | 'admin' | undefined
  /** Whether answers have it. True by default. */
  readonly returned?: boolean | undefined
  /** Whether tokens for other services and the session cookie cache have it. False by default. */
  readonly inToken?: boolean | undefined
}

/** By name. */
export type OwnFields = Readonly<Record<string, OwnField>>

type Owner = OwnFieldUse['of']

/** The own fields of users or organizations, as configured. */
export interface OwnFieldRules {
  readonly fields: OwnFields
  /** Their names in answers. */
  readonly answered: readonly string[]
  readonly inTokens: readonly string[]
  /** What a new row has when nobody can be asked. */
  readonly defaults: OwnValues
  /** Checks what a call gives. */
  readonly inputOf: (use: OwnFieldUse) => z.ZodObject
}

export type OwnFieldSettings = Readonly<Record<Owner, OwnFieldRules>>

const maxFields = 30

const text = z.string().max(maxOwnText, expectedOf.text)
/** The command line and forms send texts. */
const number = z.union([z.number(), z.string().regex(numberText).transform(Number)], expectedOf.number)
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')], expectedOf.flag)
const date = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], expectedOf.date)
  .transform((given) => new Date(given).toISOString())

const kinds = { text, number, flag, date } as const

const isKind = (kind: FieldKind): kind is keyof typeof kinds => typeof kind === 'string'

/** Accepts and normalizes the values of a kind. */
export const valueOf = (kind: FieldKind): z.ZodType => (isKind(kind) ? kinds[kind] : z.enum([...kind]))

const choice = z.string().min(1).max(100)
const kindsAllowed = 'text, number, flag, date, or a list of 1 to 100 texts to choose from'
const Field = z.strictObject({
  kind: z.union(
    [z.enum(['text', 'number', 'flag', 'date']), z.array(choice).min(1, kindsAllowed).max(100, kindsAllowed)],
    {
      error: kindsAllowed,
    },
  ),
  required: z.boolean('true or false').optional(),
  default: z.union([z.string(), z.number(), z.boolean()], 'a text, a number, true or false').optional(),
  input: z.union([z.boolean(), z.literal('admin')], 'true, admin or false').optional(),
  returned: z.boolean('true or false').optional(),
  inToken: z.boolean('true or false').optional(),
})

const Fields = z
  .record(z.string(), Field, 'an object of fields by name')
  .refine((fields) => Object.keys(fields).length <= maxFields, `at most ${maxFields} fields`)

/** Names that mean something else to us, to the client or to readers of tokens. */
const taken: Readonly<Record<Owner, ReadonlySet<string>>> = {
  user: new Set([
    ...[FullUser, signUpEmail.input, updateUser.input, createUser.input, createUser.input.shape.data.unwrap()].flatMap(
      ({ shape }) => Object.keys(shape),
    ),
    ...Object.keys(listUsers.input.shape),
    'userId',
    'isMachine',
    'token',
    'organization',
    'iss',
    'sub',
    'aud',
    'exp',
    'nbf',
    'iat',
    'jti',
    'act',
    'azp',
    'client_id',
    'scope',
    'roles',
    'groups',
    'permissions',
    'entitlements',
    'email_verified',
    'sid',
    'nonce',
    'auth_time',
    'acr',
    'amr',
    'cnf',
    ...redirectFields,
  ]),
  organization: new Set([
    ...[
      FullOrganization,
      ListedOrganization,
      create.input,
      create.output,
      update.input,
      update.input.shape.data,
    ].flatMap(({ shape }) => Object.keys(shape)),
    ...redirectFields,
  ]),
}

const settingOf = { user: 'userFields', organization: 'organizationFields' } as const

type Read = { readonly ownFields: OwnFieldSettings } | { readonly problems: readonly string[] }

/** The own fields of a config file, or one sentence per problem. */
export function readOwnFields(given: { readonly userFields?: unknown; readonly organizationFields?: unknown }): Read {
  const [user, organization] = [
    readOwner('user', given.userFields),
    readOwner('organization', given.organizationFields),
  ]
  const problems = [user, organization].flatMap((read) => ('problems' in read ? read.problems : []))
  if ('problems' in user || 'problems' in organization) return { problems }
  return { ownFields: { user, organization } }
}

function readOwner(of: Owner, given: unknown): OwnFieldRules | { readonly problems: readonly string[] } {
  const { data, error } = Fields.optional().safeParse(given)
  if (error)
    return { problems: error.issues.map((issue) => issueSentence(settingOf[of], issue, Object.keys(Field.shape))) }
  // The names as given, since zod drops `__proto__`.
  const problems = Object.keys(Object(given)).flatMap((name) =>
    problemsOf(of, name, Object(data)[name]).map((problem) => `${settingOf[of]}.${name} ${problem}`),
  )
  return problems.length > 0 ? { problems } : rulesOf(data)
}

type Rule = readonly [isBroken: boolean, problem: string]

function tokenRules(of: Owner, { input, returned = true, inToken = false }: OwnField): readonly Rule[] {
  if (!inToken) return []
  return [
    [of === 'organization', 'is of organizations, of which tokens contain nothing: leave out inToken'],
    [
      input === undefined,
      "is in tokens, which other services believe: say who may set it, with input: true, 'admin' or false",
    ],
    [!returned, 'is in tokens, which their holder can read: it cannot be kept out of answers'],
  ]
}

function problemsOf(of: Owner, name: string, field: OwnField): readonly string[] {
  const { kind, required, default: given, input = true } = field
  const rules: readonly Rule[] = [
    [
      !/^[a-z][A-Za-z0-9_]{0,31}$/.test(name),
      'is no name of a field: expected letters, digits and _, at most 32, like taxNumber',
    ],
    [
      taken[of].has(name) || name in Object.prototype,
      'cannot be a field of your own: that name is taken. Choose another',
    ],
    [given !== undefined && !valueOf(kind).safeParse(given).success, `has a default that is no value of its kind`],
    [
      required === true && input === false && given === undefined,
      'is required and nobody may set it: give it a default',
    ],
    ...tokenRules(of, field),
  ]
  return rules.flatMap(([isBroken, problem]) => (isBroken ? [problem] : []))
}

function rulesOf(declared: OwnFields | undefined): OwnFieldRules {
  const fields = declared ?? {}
  const namesOf = (isIn: (field: OwnField) => boolean | undefined) =>
    Object.keys(fields).filter((name) => isIn(fields[name] as OwnField))
  const known = new Map<string, z.ZodObject>()
  const inputOf = (use: OwnFieldUse) => {
    const key = JSON.stringify(use)
    const made = known.get(key) ?? inputFor(fields, use, declared !== undefined)
    known.set(key, made)
    return made
  }
  return {
    fields,
    answered: namesOf(({ returned = true }) => returned),
    inTokens: namesOf(({ inToken }) => inToken),
    defaults: inputOf({ of: 'user', write: 'create', by: 'admin' }).partial().parse({}),
    inputOf,
  }
}

/** Whether a call may give the field. */
export const maySet = ({ input = true }: OwnField, { by }: OwnFieldUse): boolean =>
  input === true || (input === 'admin' && by === 'admin')

/** Whether nothing is created without it. */
export const isNeededToCreate = ({ required = false, default: standard }: OwnField): boolean =>
  required && standard === undefined

const inputFor = (fields: OwnFields, use: OwnFieldUse, isDeclared: boolean): z.ZodObject => {
  const shape = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldInput(field, use)]))
  // Without any of its own, a service ignores other members, as clients expect.
  return isDeclared || use.isStrict ? z.strictObject(shape) : z.object(shape)
}

type Scalar = string | number | boolean

/** As it is stored. */
const defaultOf = ({ kind, default: given }: OwnField): Scalar | undefined =>
  given === undefined ? undefined : (valueOf(kind).parse(given) as Scalar)

/** What new rows have anyway may be given by everybody. */
function fieldInput(field: OwnField, use: OwnFieldUse): z.ZodType {
  const { kind, input, required = false } = field
  const { write } = use
  const standard = write === 'create' ? defaultOf(field) : undefined
  const orDefault = (schema: z.ZodType): z.ZodType =>
    standard === undefined ? schema.optional() : schema.default(standard)
  if (!maySet(field, use)) {
    const expected = `no value: only ${input ? 'administrators set' : 'the service sets'} it`
    return orDefault(standard === undefined ? z.never(expected) : z.literal(standard, expected))
  }
  const value = required ? valueOf(kind) : valueOf(kind).nullable()
  return write === 'create' && isNeededToCreate(field) ? value : orDefault(value)
}
