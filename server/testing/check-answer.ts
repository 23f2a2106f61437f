import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { clientApis, wireFor } from '../../shared/client-api.ts'
import type { Call, CallGroup } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { callScopes } from '../../shared/contract/scopes.ts'
import { catalogue, type EdgeFailureName, edgeFailures, type FailureName } from '../../shared/errors.ts'
import { redirectFields, wireCodeOf } from '../../shared/failure.ts'
import { maxProblems } from '../../shared/input-problem.ts'
import { gatherOwnFields, spreadOwnFields } from '../../shared/own-fields.ts'
import { organizationRoles, permissionsIn } from '../../shared/permissions.ts'

const groups: readonly CallGroup[] = Object.values(contract)
const calls = new Map<string, Call>(
  groups.flatMap((group) => Object.values(group)).map((call) => [`${call.method} ${call.path}`, call] as const),
)

/** Throws when a limit is told without when to come back. */
export function checkRetry(status: number, headers: Headers): void {
  const waits = [headers.get('retry-after'), headers.get('x-retry-after')]
  if (status === 429 && !waits.every((wait) => /^[1-9]\d*$/.test(wait ?? '') && wait === waits[0]))
    throw new Error(`A 429 says when to come back by ${JSON.stringify(waits)}`)
}

/**
 * Throws when an answer is not what its schema says, to the last field: the service encodes answers without checking
 * them. Every answer of the suite passes here.
 */
export function checkOutput(method: string, path: string, status: number, text: string): void {
  const call = calls.get(`${method} ${path}`)
  if (!call || status !== 200 || call.answer === 'html' || call.answer === 'form') return
  const answer = gatherOwnFields(call.output)(JSON.parse(text))
  const encoded = JSON.stringify(spreadOwnFields(call.output)(z.encode(call.output, z.decode(call.output, answer))))
  if (!isDeepStrictEqual(JSON.parse(encoded), JSON.parse(text)))
    throw new Error(`${method} ${path} answered ${text} where its schema has ${encoded}`)
}

/** Throws when a call refuses with anything but its listed failures and those of the edge. Every answer of the suite passes here. */
export function checkRefusal(method: string, path: string, status: number, text: string): void {
  const call = calls.get(`${method} ${path}`)
  if (!call || [200, 302, 303].includes(status) || isPage(text)) return
  const told = withoutDetails(text)
  if (!refusalsOf(call).has(`${status} ${told}`) && !isNamed(call, status, told))
    throw new Error(`${method} ${path} refused with what it does not list: ${status} ${text}`)
}

/** The page that a browser gets instead; `server/pages/failure.test.ts` compares the two. */
const isPage = (text: string): boolean => text.startsWith('<!doctype html>')

/** A VALIDATION_ERROR names its fields, nothing else has details. Throws where that is not so. */
function withoutDetails(text: string): string {
  if (!text.startsWith('{')) return text
  const { details, ...told } = JSON.parse(text) as { details?: unknown; code?: string }
  if (told.code === 'VALIDATION_ERROR' ? !areDetails(details) : details !== undefined)
    throw new Error(`A refusal with these details: ${text}`)
  return JSON.stringify(told)
}

const areDetails = (details: unknown): boolean =>
  Array.isArray(details) &&
  details.length > 0 &&
  details.length <= maxProblems &&
  details.every(({ path, message, ...more }) => {
    const isPath = /^(?:(?:\w{1,32}|…)(?:\.(?:\w{1,32}|…))*)?$/.test(path)
    return isPath && /^(?:Missing, expected|Expected) \S.*[^.]$/.test(message) && Object.keys(more).length === 0
  })

const refusals = new Map<Call, Set<string>>()

function refusalsOf(call: Call): Set<string> {
  const known =
    refusals.get(call) ??
    new Set([...call.failures, ...(edgeFailures as Set<EdgeFailureName>)].flatMap((name) => texts(call, name)))
  refusals.set(call, known)
  return known
}

/** Whether it is a listed sentence that names what was sent. */
const isNamed = ({ failures }: Call, status: number, text: string): boolean =>
  failures.some((name) => {
    const entry: { status: number; message: string; code?: string } = catalogue[name]
    const [start, end] = entry.message.split('{field}')
    if (end === undefined) return false
    const { message = '' } = JSON.parse(text || '{}') as { message?: string }
    const isSentence = message.startsWith(start ?? '') && message.endsWith(end)
    return (
      isSentence &&
      `${status} ${text}` === `${entry.status} ${JSON.stringify({ code: entry.code ?? wireCodeOf(message), message })}`
    )
  })

/** What a sentence of the edge names. A key's scopes are asked for by calls, and by the roles that it grants. */
const namedAtTheEdge: Partial<Record<FailureName, readonly string[]>> = {
  INVALID_REDIRECT_TARGET: redirectFields,
  KEY_SCOPE_MISSING: [...new Set([...callScopes, ...Object.values(organizationRoles).flatMap(permissionsIn)])],
}

/** In the terms of every version of the client. */
const texts = ({ path }: Call, name: FailureName): string[] =>
  clientApis.flatMap((api) =>
    (namedAtTheEdge[name] ?? [undefined]).map((field) => {
      const { status, body } = wireFor(api, path, { failure: name, field })
      return `${status} ${body === null ? '' : JSON.stringify(body)}`
    }),
  )
