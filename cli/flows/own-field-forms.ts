import type { listFields } from '../../shared/contract/account.ts'
import type { Output } from '../../shared/contract/call.ts'
import { expectedOf, maxOwnText, numberText, type OwnFieldKind } from '../../shared/own-field-kinds.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { Field, Fields, ValuesOf } from './field.ts'
import type { Flow, Form, Option, OwnFieldsOfFlow } from './flow.ts'
import type { FlowConnection } from './flow-context.ts'
import { ifFound } from './if-answered.ts'
import { isDay } from './moment.ts'
import { formName, ownFieldsFlag, wordOf } from './own-fields.ts'

/** An own field of the service, as it tells it. */
export type DeclaredField = Output<typeof listFields>[number]

/** The own fields that can be set at this service. An older one tells none. */
export const declaredFieldsOf = async ({ api }: Pick<FlowConnection, 'api'>): Promise<readonly DeclaredField[]> =>
  (await ifFound(api.account.listFields())) ?? []

/** The declared fields that a flow can set, for administrators with theirs. */
export const settableIn = (
  { of, by }: Pick<OwnFieldsOfFlow<never>, 'of' | 'by'>,
  declared: readonly DeclaredField[],
  isAdmin = false,
): readonly DeclaredField[] =>
  declared.filter(
    (field) => field.of === of && (field.setBy === 'person' || by === 'admin' || (isAdmin && by !== 'person')),
  )

/** The form with the own fields of its service. */
export const completed = (form: Form, declared: readonly DeclaredField[], isAdmin = false): Form => {
  const { own } = form
  return own ? form.remade((flow) => withDeclared(flow, settableIn(own, declared, isAdmin))) : form
}

/** The flow with a field for each of these, which its command takes as `--field NAME=VALUE`. */
export function withDeclared<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  declared: readonly DeclaredField[],
): Flow<S, F, V, R> {
  const { own, isEdit = false, initial, options } = flow
  const added = declared.map((field) => [formName(field.name), field] as const)
  const ofAdded = <T>(make: (field: DeclaredField) => T) =>
    Object.fromEntries(added.map(([name, field]) => [name, make(field)]))
  const gathered = (values: ValuesOf<F>): ValuesOf<F> => ({ ...values, fields: pairsIn(values, added) })
  const present = (subject: S | undefined): OwnValues => (subject !== undefined && own?.valuesOf?.(subject)) || {}
  return {
    ...flow,
    own: undefined,
    fields: { ...flow.fields, ...ofAdded((field) => fieldOf(field, isEdit)) },
    initial: (subjects, view) => ({
      ...initial?.(subjects, view),
      ...ofAdded((field) => initialText(field, isEdit ? present(subjects[0])[field.name] : field.default)),
    }),
    options: (subjects, view) => ({ ...options?.(subjects, view), ...ofAdded((field) => optionsOf(field, isEdit)) }),
    run: (context, subject, values) => flow.run(context, subject, gathered(values)),
    inverse: (change) => flow.inverse?.({ ...change, values: gathered(change.values) }),
  } as Flow<S, F, V, R>
}

function pairsIn(
  values: Readonly<Record<string, unknown>>,
  added: readonly (readonly [string, DeclaredField])[],
): readonly string[] | undefined {
  const given = added.flatMap(([key, { name }]) => (typeof values[key] === 'string' ? [`${name}=${values[key]}`] : []))
  const before = Array.isArray(values['fields']) ? values['fields'] : []
  return given.length > 0 ? [...before, ...given] : (values['fields'] as undefined)
}

/** Whether nothing is created without it. */
export const isNeededToCreate = ({ required, default: standard }: DeclaredField): boolean =>
  required && standard === undefined

function fieldOf(declared: DeclaredField, isEdit: boolean): Field {
  const { name, type, required } = declared
  const isOptional = isEdit || !isNeededToCreate(declared)
  const values = choicesOf(declared)
  return {
    ...(values ? { kind: 'choice', values } : { kind: 'text' }),
    label: name,
    flag: ownFieldsFlag.flag,
    pairName: name,
    ...(isOptional && { isOptional }),
    ...(required && { isNeverEmpty: true }),
    ...examples[type],
    check: (text) => valueProblem(declared, text),
  }
}

const examples: Readonly<Partial<Record<OwnFieldKind, { readonly example: string }>>> = {
  number: { example: '12.5' },
  date: { example: '2026-01-31' },
}

const choicesOf = ({ type, choices }: DeclaredField): readonly string[] | undefined =>
  type === 'flag' ? ['true', 'false'] : type === 'choice' ? (choices ?? []) : undefined

const yesOrNo: Readonly<Record<string, string>> = { true: 'yes', false: 'no' }

/** A value that may be missing can be removed. */
function optionsOf(declared: DeclaredField, isEdit: boolean): readonly Option[] | undefined {
  const { type, required, default: standard } = declared
  const isRemovable = !required && (isEdit || standard === undefined)
  const options = choicesOf(declared)?.map((id) => ({ id, label: (type === 'flag' && yesOrNo[id]) || id }))
  return options && isRemovable ? [{ id: '', label: 'none' }, ...options] : options
}

/** A date at midnight as people write it. */
const initialText = ({ type }: DeclaredField, value: unknown): string =>
  type === 'date' ? wordOf(value).replace(/T00:00:00\.000Z$/, '') : wordOf(value)

/** What is wrong with a text of that kind, before the service is asked. */
function valueProblem({ name, type, choices = [] }: DeclaredField, text: string): string | undefined {
  const isRight = type === 'choice' ? choices.includes(text) : isOfKind[type](text)
  if (text === '' || isRight) return undefined
  return `${name}: expected ${type === 'choice' ? `one of ${choices.join(', ')}` : expectedOf[type]}`
}

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) &&
  isDay(text.slice(0, 10)) &&
  !Number.isNaN(Date.parse(text))

const isOfKind: Readonly<Record<Exclude<OwnFieldKind, 'choice'>, (text: string) => boolean>> = {
  text: (text) => text.length <= maxOwnText,
  number: (text) => numberText.test(text),
  flag: (text) => text === 'true' || text === 'false',
  date: isDate,
}
