import type { Context } from '../context.ts'
import type { Fields } from '../flows/field.ts'
import type { Flow, FlowFacts, Form } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import {
  completed,
  type DeclaredField,
  declaredFieldsOf,
  isNeeded,
  settableIn,
  withDeclared,
} from '../flows/own-field-forms.ts'
import { ownFieldsFlag, ownValuesIn } from '../flows/own-fields.ts'
import { CliError } from '../output/cli-error.ts'
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
  const { fields = {} } = ownValuesIn([given['fields'] ?? []].flat().map(String))
  const missing = settableIn(own, declared).filter((field) => isNeeded(field) && !(field.name in fields))
  return missing.length > 0 ? withDeclared(flow, missing) : flow
}

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

/** Says how a command gives the own fields that the service missed. */
export function namingFlags(flow: { readonly fields: Fields }, error: unknown): unknown {
  const refusal = toCliError(error)
  const names = refusal.problems.filter(({ message }) => message.startsWith('Missing')).map(({ path }) => lastOf(path))
  const ours = new Set(Object.entries(flow.fields).map(([name, { key = name }]) => key))
  if (names.length === 0 || names.some((name) => ours.has(name))) return error
  const { exitCode, message, code, status, problems } = refusal
  const hint = `Give ${names.map((name) => `${flagName} ${name}=VALUE`).join(' ')}`
  return new CliError(exitCode, message, { code, status, problems, hint, fields: [flagName, ...names], cause: error })
}

const flagName = ownFieldsFlag.flag.split(' ')[0] ?? ''
const lastOf = (path: string): string => path.split('.').at(-1) ?? ''
