import type * as z from 'zod'

/** An invalid field of an input. It says what was expected, and never repeats what was sent. */
export interface InputProblem {
  /** Field names and list positions separated by dots, as in `data.roles.0`. Empty for the input as a whole. */
  readonly path: string
  readonly message: string
}

/** The maximum reported. An input has few fields, but a list in it may be long. */
export const maxProblems = 20

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Options for a check whose issues say what was expected. A schema's own messages take precedence. */
export const expectations = { error: (issue: z.core.$ZodRawIssue): string => expectedBy(issue as RawIssue) }

/** The fields that a check with `expectations` refused in this input, each once. `above` leads to the input. */
export function problemsIn(issues: readonly Issue[], input: unknown, above: Path = []): readonly InputProblem[] {
  const problems = new Map<string, InputProblem>()
  for (const { path, expected } of issues.flatMap((issue) => placesOf(issue))) {
    const key = JSON.stringify(path)
    if (!problems.has(key))
      problems.set(key, inputProblem([...above, ...path], expected, valueAt(input, path) === undefined))
  }
  return [...problems.values()].slice(0, maxProblems)
}

export const inputProblem = (path: Path, expected: string, isMissing = false): InputProblem => ({
  path: path.map(shownName).join('.'),
  message: `${isMissing ? 'Missing, expected' : 'Expected'} ${expected}`,
})

/** A name chosen by the caller may be anything, even a misplaced secret, so only what looks like a name is repeated. */
const shownName = (name: PropertyKey): string =>
  typeof name === 'number' || /^[A-Za-z]\w{0,31}$/.test(String(name)) ? String(name) : '…'

function placesOf(issue: Issue, above: Path = []): readonly { readonly path: Path; readonly expected: string }[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], expected: 'no such field' }))
  if (issue.code !== 'invalid_union') return [{ path, expected: issue.message }]
  // The type is right and the problem lies inside it, so the caller meant this variant.
  const meant = issue.errors.find((inner) => inner.length > 0 && inner.every((one) => one.path.length > 0))
  if (meant) return meant.flatMap((one) => placesOf(one, path))
  const ways = new Set(issue.errors.flat().flatMap((one) => placesOf(one).map(({ expected }) => expected)))
  return [{ path, expected: issue.message || [...ways].join(' or ') || unnamedKind }]
}

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, name) => (Object.hasOwn(Object(value), name) ? Object(value)[name] : undefined), input)

interface RawIssue {
  readonly code: string
  readonly expected?: string
  readonly values?: readonly unknown[]
  readonly format?: string
  readonly origin?: string
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
}

const unnamedKind = 'something else'

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date and time',
  null: 'null',
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'a date and time, like 2026-01-31T12:00:00Z',
  url: 'an address, like https://example.com',
  email: 'an email address',
}

/** Empty for a union: its message is made from its variants. */
const phrases: Readonly<Record<string, (issue: RawIssue) => string>> = {
  invalid_union: () => '',
  invalid_type: ({ expected = '' }) => kinds[expected] ?? unnamedKind,
  invalid_value: ({ values = [] }) => (values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`),
  invalid_format: ({ format = '' }) => formats[format] ?? unnamedKind,
  too_small: ({ minimum, origin }) => `at least ${minimum}${unitOf(origin, minimum)}`,
  too_big: ({ maximum, origin }) => `at most ${maximum}${unitOf(origin, maximum)}`,
}

const expectedBy = (issue: RawIssue): string => phrases[issue.code]?.(issue) ?? unnamedKind

function unitOf(origin = '', count: number | bigint = 0): string {
  if (origin === 'string') return count === 1 ? ' character' : ' characters'
  return origin === 'array' ? (count === 1 ? ' entry' : ' entries') : ''
}
