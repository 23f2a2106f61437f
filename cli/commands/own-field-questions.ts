import { exitCodes } from '../../shared/exit-codes.ts'
import type { Context } from '../context.ts'
import type { Fields } from '../flows/field.ts'
import type { Flow, FlowFacts, Form } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import {
  completed,
  type DeclaredField,
  declaredFieldsOf,
  isNeededToCreate,
  settableIn,
  withDeclared,
} from '../flows/own-field-forms.ts'
import { ownFieldsFlag, ownValuesIn } from '../flows/own-fields.ts'
import { CliError, changedError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'
import { flowContextOf } from './flow-context.ts'
import type { Argv } from './ready-line.ts'

/** The flow with a question for each own field of the service that nothing is created without and nobody gave. */
export async function askingForOwn<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { given }: Argv,
): Promise<Flow<S, F, V, R>> {
  const { own } = flow
  if (!own) return flow
  const declared = await declaredAt(flowContextOf(context), flow)
  const names = ownNamesIn(given)
  const missing = settableIn(own, declared).filter((field) => isNeededToCreate(field) && !names.includes(field.name))
  return missing.length > 0 ? withDeclared(flow, missing) : flow
}

/**
 * Refuses own fields at a service that declares none: it ignores members that it does not know, so the command would
 * report a success. Where some are declared, the service itself refuses the others, by name.
 */
export async function refuseUndeclared(
  flowContext: FlowContext,
  flow: Pick<Flow<never>, 'own' | 'isForAnyone'>,
  { given }: Argv,
): Promise<void> {
  const [name] = ownNamesIn(given)
  if (name === undefined) return
  const declared = await declaredAt(flowContext, flow)
  if (flow.own) requireDeclared(declared, flow.own.of, name, [flagName])
}

/** The same for one field, once it is known what the service declares. `flags`: those that gave it. */
export function requireDeclared(
  declared: readonly Pick<DeclaredField, 'of'>[],
  whose: DeclaredField['of'],
  name: string,
  flags: readonly string[] = [],
): void {
  if (declared.some(({ of }) => of === whose)) return
  throw new CliError(exitCodes.rejected, `This service has no field ${name}`, {
    code: 'NO_SUCH_FIELD',
    hint: whereDeclared,
    fields: flags,
  })
}

const whereDeclared = 'Fields are declared in postern.config.ts: docs/applications.md#fields-of-your-own'

const ownNamesIn = (given: Argv['given']): readonly string[] =>
  Object.keys(ownValuesIn([given['fields'] ?? []].flat().map(String)).fields ?? {})

/** The form of an edit, with the own fields of the service. */
export async function withOwnFields(flowContext: FlowContext, form: Form): Promise<Form> {
  return form.own ? completed(form, await declaredAt(flowContext, form)) : form
}

async function declaredAt(
  flowContext: FlowContext,
  { isForAnyone }: Pick<FlowFacts, 'isForAnyone'>,
): Promise<readonly DeclaredField[]> {
  return declaredFieldsOf(await (isForAnyone ? flowContext.asNobody(flowContext.server) : flowContext.signedIn()))
}

/** Says how a command gives the own fields that the service missed, or where those are declared that it does not know. */
export function namingFlags(flow: { readonly fields: Fields }, error: unknown): unknown {
  const refusal = toCliError(error)
  const { problems } = refusal
  if (problems.some(({ message }) => message === 'Expected no such field'))
    return changedError(refusal, { hint: whereDeclared })
  const names = problems.filter(({ message }) => message.startsWith('Missing')).map(({ path }) => lastOf(path))
  const ours = new Set(Object.entries(flow.fields).map(([name, { key = name }]) => key))
  if (names.length === 0 || names.some((name) => ours.has(name))) return error
  const hint = `Give ${names.map((name) => `${flagName} ${name}=VALUE`).join(' ')}`
  return changedError(refusal, { hint, fields: [flagName, ...names] })
}

const flagName = ownFieldsFlag.flag.split(' ')[0] ?? ''
const lastOf = (path: string): string => path.split('.').at(-1) ?? ''
