import { commandLine } from '../output/shell-line.ts'
import { commandWith, type GivenValues } from './command-line.ts'
import type { Field, Fields } from './field.ts'
import { type FlowFacts, flag, type Subject } from './flow.ts'
import { shownValue } from './shown-body.ts'

interface LoggedCall {
  readonly method: string
  /** Relative to the base path. */
  readonly path: string
  readonly body: unknown
}

/** A flow or list that a request can be traced back to. */
export interface CommandSource extends Pick<FlowFacts, 'command' | 'fields' | 'call' | 'isFor'> {
  readonly subject?: Pick<Subject<never>, 'argument' | 'key'>
  readonly consent?: { readonly typed?: { readonly what: string; readonly always?: boolean } }
}

/** The `postern …` command that makes the same request. Shows only safe values and fields of the flow. */
export function commandForRequest({ method, path, body }: LoggedCall, known: readonly CommandSource[]): string {
  const given = bodyOf(body)
  const found = known.filter(({ call }) => call === path)
  const flow = found.find(({ isFor }) => isFor?.(given)) ?? found.find(({ isFor }) => !isFor)
  return flow && isExpressible(flow, given, method) ? commandOf(flow, given) : apiLine(method, path, body)
}

/** Whether the flow's command expresses the whole request: only secrets can be placeholders. */
function isExpressible({ fields, subject = {}, consent }: CommandSource, given: GivenValues, method: string): boolean {
  const { argument, key } = subject
  if (asksForName(consent)) return false
  if (argument?.startsWith('<') && key !== undefined && given[key] === undefined) return false
  return method !== 'GET' || namesAll(fields, key, given)
}

/** The confirmation word is a name that the request does not contain. */
const asksForName = (consent: CommandSource['consent']): boolean =>
  consent?.typed?.always === true && /^\w+$/.test(consent.typed.what)

function namesAll(fields: Fields, key: string | undefined, given: GivenValues): boolean {
  const told = new Set([key, ...ignoredKeys, ...Object.entries(fields).map(([name, field]) => field.key ?? name)])
  return Object.keys(given).every((name) => told.has(name))
}

/** Keys set by the account, by global flags, or by reading a whole list. */
const ignoredKeys = ['organizationId', 'limit', 'offset', 'disableCookieCache', 'token']

function apiLine(method: string, path: string, body: unknown): string {
  const fields = Object.entries(Object(body)).flatMap(([key, value]) => apiField(key, shownValue(key, value)))
  return commandLine('postern', 'api', path, '-X', method, ...fields)
}

const apiField = (key: string, value: unknown): readonly string[] => {
  if (value === undefined) return ['-F', `${key}=@FILE`]
  return typeof value === 'string' ? ['-f', `${key}=${value}`] : ['-F', `${key}=${JSON.stringify(value)}`]
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

/** The request says null where the command takes `-` for none. */
function wordsIn(body: GivenValues, key: string | undefined): readonly string[] {
  if (key === undefined || body[key] === undefined) return []
  return [textOf(body[key]) ?? '-']
}

const valuesIn = (body: GivenValues, fields: Fields): GivenValues =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, valueIn(field, body[field.key ?? name])]))

/** On the wire, roles are a list or comma-separated text, and claims are an object. */
function valueIn(field: Field, value: unknown): unknown {
  if (field.kind === 'list') return wordsOf(value)
  // Metadata, which an empty text would remove.
  if (field.kind === 'text' && typeof value === 'object' && value !== null) return JSON.stringify(value)
  if (field.kind === 'text' && typeof value === 'number') return durationWord(value)
  const isForeign = field.kind === 'choice' && field.values?.includes(String(value)) === false
  return isForeign ? undefined : value
}

/** On the wire, durations are seconds. */
const durationWord = (seconds: number): string => (seconds === 0 ? '0' : `${seconds}s`)

function wordsOf(value: unknown): unknown {
  if (typeof value === 'string') return value.split(',')
  if (Array.isArray(value)) return value
  const pairs: readonly (readonly [string, unknown])[] = Object.entries(Object(value))
  if (pairs.length > 0 && pairs.every(([, one]) => Array.isArray(one)))
    return pairs.flatMap(([name, actions]) => [actions].flat().map((action) => `${name}:${String(action)}`))
  const isOfTexts = pairs.length > 0 && pairs.every(([, one]) => typeof one === 'string')
  return isOfTexts ? pairs.map(([name, one]) => `${name}=${String(one)}`) : value
}

/** Update calls put the changes into an object of their own. */
function bodyOf(body: unknown): GivenValues {
  const { data, ...rest } = Object(body) as { readonly data?: unknown }
  return { ...rest, ...Object(data) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
