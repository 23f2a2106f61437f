import { randomUUID } from 'node:crypto'
import { createAuthClient } from 'better-auth-1.7/client'
import * as plugins from 'better-auth-1.7/client/plugins'
import { expect, it, vi } from 'vitest'
import { linkTo } from '../../testing/mailed.ts'
import { knownDifferences, olderTerms } from '../../testing/newest-client-differences.ts'
import { organizationSteps } from '../../testing/newest-client-organization-steps.ts'
import { accountSteps, type Kept, laterSteps, type Step, type Who } from '../../testing/newest-client-steps.ts'
import { startNewestPeer } from '../../testing/newest-peer.ts'
import { createFetch } from '../../testing/reference-client.ts'
import { createTestService, type TestService, testPassword } from '../../testing/service.ts'
import { slack } from '../../testing/slack.ts'
import type { Json } from '../../testing/visitor.ts'
import { listenTo } from '../../testing/wire.ts'

// Some hundred calls of two servers, one of which hashes passwords slowly.
vi.setConfig({ testTimeout: 120_000 * slack })

/** Nearly every method of the client's parts that we answer, with the refusals that applications handle. */
const steps: readonly Step[] = [...accountSteps, ...organizationSteps, ...laterSteps]

/** One server with the people who use it, and the data of earlier answers. */
interface Side {
  readonly clients: Readonly<Record<Who, Json>>
  readonly kept: Kept
}

const emails = { ann: `ann-${randomUUID()}@example.com`, bob: `bob-${randomUUID()}@example.com` }

/** The client as its users have it. A browser sends an origin, which the reference insists on. */
function createClient(origin: string, sendsOrigin: boolean): Json {
  const { customFetchImpl } = createFetch()
  const send: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    if (sendsOrigin) headers.set('origin', origin)
    return customFetchImpl(input, { ...init, headers })
  }
  return createAuthClient({
    baseURL: origin,
    fetchOptions: { customFetchImpl: send },
    plugins: [
      plugins.organizationClient({ teams: { enabled: true }, dynamicAccessControl: { enabled: true } }),
      plugins.adminClient(),
      plugins.jwtClient(),
      plugins.deviceAuthorizationClient(),
      plugins.multiSessionClient(),
      plugins.lastLoginMethodClient(),
    ],
  })
}

interface Sides {
  readonly theirs: Side
  readonly ours: Side
  readonly stop: () => Promise<void>
}

/** A server of the client's version, and ours with these settings. */
async function startSides(settings: Readonly<Record<string, string>>): Promise<Sides> {
  const peer = await startNewestPeer()
  const service: TestService = await createTestService({ MULTI_SESSION: '5', LAST_LOGIN_METHOD: 'on', ...settings })
  const wire = await listenTo(service)
  const sideOf = (origin: string, isPeer: boolean, kept: Kept): Side => ({
    clients: {
      ann: createClient(origin, isPeer),
      bob: createClient(origin, isPeer),
      device: createClient(origin, isPeer),
    },
    kept: { emails, password: testPassword, slug: `acme-${randomUUID()}`, ...kept },
  })
  return {
    theirs: sideOf(peer.origin, true, { tokenFor: peer.tokenFor, makeAdmin: peer.makeAdmin }),
    ours: sideOf(wire.origin, false, {
      tokenFor: async (kind: 'verify-email' | 'reset-password', email: string) =>
        (await linkTo(service, email, kind)).token,
      makeAdmin: (id: string) => service.deps.sql`update users set roles = '{admin}' where id = ${id}`.execute(),
    }),
    stop: async () => {
      await wire.stop()
      await service.stop()
      await peer.stop()
    },
  }
}

/** Calls a method by its path, such as `organization.create`. */
async function call({ clients, kept }: Side, { who, method, fields }: Step): Promise<Json> {
  const asked = await fields?.(kept)
  const found = method.split('.').reduce((at: Json, name) => at[name], clients[who])
  return found(asked)
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : value instanceof Date ? 'date' : Array.isArray(value) ? 'list' : typeof value

/** What a client would miss in our answer: fields, fields of another kind, or elements of a list. A null on one side is no difference. */
function differences(reference: Json, answer: Json, at = 'data'): string[] {
  const [expected, kind] = [kindOf(reference), kindOf(answer)]
  if (answer === undefined) return [`${at} is missing`]
  if (expected === 'null' || kind === 'null') return []
  if (expected !== kind) return [`${at} is ${kind} instead of ${expected}`]
  if (expected === 'list') return listDifferences(reference, answer, at)
  if (expected !== 'object') return []
  return Object.entries(reference).flatMap(([field, value]) => differences(value, answer[field], `${at}.${field}`))
}

function listDifferences(reference: Json[], answer: Json[], at: string): string[] {
  const [expected, actual] = [reference.length, answer.length]
  const inLength = expected === actual ? [] : [`${at} has ${actual} elements instead of ${expected}`]
  const inFirst = expected > 0 && actual > 0 ? differences(reference[0], answer[0], `${at}[]`) : []
  return [...inLength, ...inFirst]
}

const refusalOf = ({ error }: Json): string =>
  error ? [error.status, error.code].filter((part) => part !== undefined).join(' ') : 'success'

/** Empty when a client cannot tell the two answers apart. */
function compare(reference: Json, answer: Json): string[] {
  const [expected, actual] = [refusalOf(reference), refusalOf(answer)]
  if (expected !== actual) return [`${actual} instead of ${expected}`]
  return reference.error ? [] : differences(reference.data, answer.data)
}

/** What each step finds different. */
async function differencesOf({ theirs, ours }: Sides): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  const sides = [theirs, ours] as const
  for (const step of steps) {
    const [reference, answer] = await Promise.all(sides.map((side) => call(side, step)))
    for (const [n, { data }] of [reference, answer].entries())
      if (step.keep) Object.assign(sides[n]!.kept, { [step.keep]: data })
    for (const { kept } of sides) await step.after?.(kept)
    const lines = compare(reference, answer)
    if (lines.length > 0) found[step.label] = lines
  }
  return found
}

it.each([
  ['1.2', { ...knownDifferences, ...olderTerms }],
  ['1.7', knownDifferences],
])(
  'the newest client finds what its own server answers, but for the known differences, with CLIENT_API=%s',
  async (version, known) => {
    const sides = await startSides({ CLIENT_API: version })
    try {
      expect(await differencesOf(sides)).toEqual(
        Object.fromEntries(Object.entries(known).map(([label, { shows }]) => [label, shows])),
      )
    } finally {
      await sides.stop()
    }
  },
)
