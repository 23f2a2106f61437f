import { commandLine, commandWith, flag, type GivenValues } from './command-line.ts'
import type { Field, Fields } from './field.ts'
import type { FlowFacts, Subject } from './flow.ts'

/** Of a request that was made. */
interface LoggedCall {
  readonly method: string
  /** Below the base path. */
  readonly path: string
  readonly body: unknown
}

/** What tells the command of a call: a flow, or a look at something. */
export interface CommandSource extends Pick<FlowFacts, 'command' | 'fields' | 'call' | 'isFor'> {
  readonly subject?: Pick<Subject<never>, 'argument' | 'key'>
  readonly consent?: { readonly typed?: { readonly what: string; readonly always?: boolean } }
}

/** The `postern …` command that asks the service the same. Nothing is shown but what a field of the flow names. */
export function commandForRequest({ method, path, body }: LoggedCall, known: readonly CommandSource[]): string {
  const given = bodyOf(body)
  const found = known.filter(({ call }) => call === path)
  const flow = found.find(({ isFor }) => isFor?.(given)) ?? found.find(({ isFor }) => !isFor)
  return flow ? commandOf(flow, given) : commandLine('postern', 'api', path, '-X', method)
}

function commandOf({ command, fields, subject = {}, consent }: CommandSource, body: GivenValues): string {
  const { key } = subject
  const what = consent?.typed?.always ? consent.typed.what : ''
  const typed = /^\w+$/.test(what) ? what.toUpperCase() : undefined
  const keys = [key, ...Object.values(fields).map((field) => field.key)]
  const org = keys.includes('organizationId') ? undefined : textOf(body['organizationId'])
  const flags = [...flag('org', org), ...flag('confirm', typed)]
  return commandWith({ command, fields, subject }, wordsIn(body, key), { given: valuesIn(body, fields), flags })
}

/** Where nothing is named by an id, the call was told so by null. */
function wordsIn(body: GivenValues, key: string | undefined): readonly string[] {
  if (key === undefined || body[key] === undefined) return []
  return [textOf(body[key]) ?? '-']
}

const valuesIn = (body: GivenValues, fields: Fields): GivenValues =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueIn(field, body[field.key ?? name])]))

/** Roles travel as a list, or as text with commas. */
function valueIn(field: Field, value: unknown): unknown {
  if (field.kind === 'list' && typeof value === 'string') return value.split(',')
  const isForeign = field.kind === 'choice' && field.values?.includes(String(value)) === false
  return isForeign ? undefined : value
}

/** What is changed of a thing travels in an object of its own. */
function bodyOf(body: unknown): GivenValues {
  const { data, ...rest } = Object(body) as { readonly data?: unknown }
  return { ...rest, ...Object(data) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
