import { createReadStream } from 'node:fs'
import type * as z from 'zod'
import { canonicalEmail } from '../../../../shared/email.ts'
import { exitCodes } from '../../../../shared/exit-codes.ts'
import { expectations } from '../../../../shared/input-problem.ts'
import { nearestWord } from '../../../flows/candidates.ts'
import { CliError, usageError } from '../../../output/cli-error.ts'
import { unreadableHint, whyUnreadable } from '../../../process/file-faults.ts'
import { type Input, stdinOf } from '../../../process/stdin.ts'
import { type DocumentPerson, keysIn, OrganizationDocument } from './schema.ts'
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
} from './yaml.ts'

const maxDepth = 32
const maxAliases = 100
const maxProblems = 20
const forbidden: readonly unknown[] = ['__proto__', 'constructor', 'prototype']

interface Problem {
  readonly line: number
  /** Empty for the document itself. */
  readonly path: string
  readonly message: string
}

/**
 * Parses a YAML or JSON text as organization documents. Exit 2 lists what is wrong and where. `source` names the file
 * for people.
 */
export function readDocuments(text: string, source: string): readonly OrganizationDocument[] {
  const lines = new LineCounter()
  try {
    const all = parseAllDocuments(text, {
      lineCounter: lines,
      schema: 'core',
      resolveKnownTags: false,
      stringKeys: true,
      prettyErrors: false,
      logLevel: 'error',
    })
    throwIfAny(
      source,
      [...all].flatMap((document) => [...syntaxProblems(document, lines), ...shapeProblems(document, lines)]),
    )
    const filled = [...all].filter((document) => !isEmpty(document))
    if (filled.length === 0) throw documentError(source, [{ line: 1, path: '', message: 'is empty' }])
    return parsedDocuments(filled, lines, source)
  } catch (error) {
    // The library's messages for an alias without an anchor and for too many aliases.
    if (error instanceof ReferenceError || error instanceof RangeError)
      throw documentError(source, [{ line: 1, path: '', message: error.message }])
    throw error
  }
}

const isEmpty = ({ contents }: Document): boolean =>
  contents === null || (isScalar(contents) && contents.value === null)

function parsedDocuments(
  documents: readonly Document[],
  lines: LineCounter,
  source: string,
): readonly OrganizationDocument[] {
  const read = documents.map((document) => ({
    document,
    ...OrganizationDocument.safeParse(document.toJS({ maxAliasCount: maxAliases }), inWords),
  }))
  throwIfAny(
    source,
    read.flatMap(({ document, error }) => [
      ...emptyTeams(document, lines),
      ...(error?.issues ?? []).flatMap((issue) => problemsOf(issue, document, lines)),
    ]),
  )
  return read.flatMap(({ data }) => (data ? [canonical(data)] : []))
}

/** `teams: null` of an export leaves the teams alone, but a bare `teams:` could mean that there are none. */
function emptyTeams(document: Document, lines: LineCounter): Problem[] {
  const teams = document.get('teams', true)
  const isNothing = isScalar(teams) && teams.value === null && teams.source === ''
  return isNothing ? [{ line: lineOf(document, lines, ['teams']), path: 'teams', message: 'is empty' }] : []
}

const syntaxProblems = ({ errors, warnings }: Document, lines: LineCounter): Problem[] =>
  [...errors, ...warnings].map(({ code, message, pos }) => ({
    line: lines.linePos(pos[0]).line,
    path: '',
    message: code === 'RESOURCE_EXHAUSTION' ? 'nested too deeply' : message,
  }))

function shapeProblems(document: Document, lines: LineCounter): Problem[] {
  const problems: Problem[] = []
  if (document.errors.length > 0) return problems
  visit(document, (key, node, path) => {
    const message = whyNodeRefused(key, node, path)
    if (message) problems.push({ line: startOf(node, lines), path: '', message })
    return message ? visit.SKIP : undefined
  })
  return problems
}

/** Refuses keys that reach a prototype, too deep nesting and circular aliases. */
function whyNodeRefused(key: unknown, node: unknown, path: readonly unknown[]): string | undefined {
  if (path.filter(isCollection).length > maxDepth) return `nested deeper than ${maxDepth}`
  if (key === 'key' && isScalar(node) && forbidden.includes(node.value))
    return `${String(node.value)} is not a valid key`
  const isEndless = isAlias(node) && path.some((above) => isCollection(above) && above.anchor === node.source)
  return isEndless ? `*${node.source} contains itself` : undefined
}

const startOf = (node: unknown, lines: LineCounter): number =>
  lines.linePos((isNode(node) ? node.range?.[0] : undefined) ?? 0).line

interface Issue {
  readonly path: Path
  readonly message: string
  readonly keys?: readonly string[]
}

function problemsOf({ path, message, keys }: Issue, document: Document, lines: LineCounter): Problem[] {
  if (keys)
    return keys.map((key) => ({
      line: lineOf(document, lines, path, key),
      path: pathText([...path, key]),
      message: noSuchKey(path, key),
    }))
  return [{ line: lineOf(document, lines, path), path: pathText(path), message }]
}

function noSuchKey([section]: Path, key: string): string {
  const meant = nearestWord(key, keysIn(section?.toString()))
  return meant === undefined ? 'no such key' : `no such key, did you mean ${meant}?`
}

/** The schema's own messages take precedence. */
const inWords = { error: (issue: z.core.$ZodRawIssue): string => wordsOf(issue) }

function wordsOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is missing'
  if (issue.input === null) return 'is empty'
  return issue.code === 'invalid_union' ? 'not a JSON value' : `expected ${expectations.error(issue)}`
}

function throwIfAny(source: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw documentError(source, problems)
}

function documentError(source: string, problems: readonly Problem[]): CliError {
  const shown = problems.toSorted((one, other) => one.line - other.line).slice(0, maxProblems)
  const more = problems.length - shown.length
  return new CliError(exitCodes.usage, `${source} is not a valid organization document`, {
    code: 'USAGE',
    hint: 'See its schema: postern schema org',
    fields: ['--file'],
    details: [
      ...shown.map(({ line, path, message }) => `line ${line}${path === '' ? '' : `, ${path}`}: ${message}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
  })
}

/** As the service stores it: addresses, slug and the names of own roles in lower case. */
function canonical(document: OrganizationDocument): OrganizationDocument {
  const { organization, roles } = document
  const own = roles?.map((role) => ({ ...role, name: role.name.toLowerCase() }))
  const names = new Set(own?.map(({ name }) => name))
  const lowered = withPeople(document, (person) => ({ ...person, email: canonicalEmail(person.email) }))
  return {
    ...withOwnRoles(lowered, (role) => names.has(role.toLowerCase())),
    organization: { ...organization, slug: organization.slug.toLowerCase() },
    ...(own && { roles: own }),
  }
}

/** Its people have roles that the organization made in whatever spelling; `isOwn` tells which these are. */
export const withOwnRoles = (document: OrganizationDocument, isOwn: (role: string) => boolean): OrganizationDocument =>
  withPeople(document, (person) => ({
    ...person,
    roles: [...new Set(person.roles.map((role) => (isOwn(role) ? role.toLowerCase() : role)))],
  }))

function withPeople(
  document: OrganizationDocument,
  change: (person: DocumentPerson) => DocumentPerson,
): OrganizationDocument {
  const { members, invitations } = document
  return {
    ...document,
    ...(members && { members: members.map(change) }),
    ...(invitations && { invitations: invitations.map(change) }),
  }
}

type Path = readonly PropertyKey[]

/** `members[1].roles` */
const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')

/** The line of a value or of its key; if the value is missing, the line of its container. */
function lineOf(document: Document, lines: LineCounter, path: Path, key?: string): number {
  const offset =
    (key === undefined ? undefined : keyOffset(document.getIn(path, true), key)) ?? offsetOf(document, path)
  return lines.linePos(offset).line
}

function keyOffset(node: unknown, key: string): number | undefined {
  if (!isMap(node)) return undefined
  const found = node.items.map((pair) => pair.key).find((candidate) => isScalar(candidate) && candidate.value === key)
  return isNode(found) ? found.range?.[0] : undefined
}

function offsetOf(document: Document, path: Path): number {
  for (let end = path.length; end > 0; end -= 1) {
    const parent = end === 1 ? document.contents : document.getIn(path.slice(0, end - 1), true)
    const node = document.getIn(path.slice(0, end), true)
    if (isNode(node)) return keyOffset(parent, String(path[end - 1])) ?? node.range?.[0] ?? 0
  }
  return isCollection(document.contents) ? (document.contents.range?.[0] ?? 0) : 0
}

/** Bytes: about 60,000 members. */
const maxBytes = 4 * 1024 * 1024

/** The text of a file or of stdin (`-`). Exit 2 if it cannot be read, is too large or is not UTF-8. */
export async function readText(path: string, host: Input): Promise<string> {
  const source = path === '-' ? stdinOf(host) : createReadStream(path)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk))
      size += chunk.length
      if (size > maxBytes) throw textError(path, 'is larger than 4 MiB')
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    throw readError(error, path)
  }
}

function readError(error: unknown, path: string): unknown {
  const { code, syscall } = Object(error)
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return textError(path, 'is not UTF-8')
  if (typeof syscall !== 'string') return error
  return textError(path, `cannot be read (${whyUnreadable(Object(error))})`, `${unreadableHint}, or - for stdin`)
}

const textError = (path: string, why: string, hint = 'To write a valid one: postern org export'): CliError =>
  usageError(`${path === '-' ? 'stdin' : path} ${why}`, hint, ['--file'])
