import type * as z from 'zod'
import type { EdgeFailureName, FailureName, RedirectError } from '../errors.ts'

/**
 * Who may make a call. `anyone`; `visitor`: anyone, and a session is looked up if one is sent; `session`: signed-in
 * users only; `server`: only a trusted server that sends the service key; for others the call does not exist (404).
 */
type Access = 'anyone' | 'visitor' | 'session' | 'server'

/** The only description of a call. Routes, client, OpenAPI and tests are derived from it. */
export interface Call {
  readonly method: 'GET' | 'POST'
  /** Below the base path. `{name}` stands for an input field. */
  readonly path: string
  readonly summary: string
  readonly access: Access
  /** Anyone may make it, and the route itself reads the session that is sent, even one that has ended. */
  readonly readsSession?: true
  /** The JSON body of a POST, the query of a GET. */
  readonly input: z.ZodType
  readonly output: z.ZodType
  /** The call's own failures. Every call can also raise those of the edge. */
  readonly failures: readonly Exclude<FailureName, EdgeFailureName>[]
  /** A POST that only reads, which read-only mode allows. */
  readonly isReading?: true
  /** A GET that changes something: a mailed link leads to it, or it refreshes a token. */
  readonly isWriting?: true
  /**
   * Can return a large answer, so a user can run only a few such calls at a time. A list links its next page in the
   * Link header (RFC 8288). The answer of a GET depends on its caller and input alone, since equal requests that wait
   * share it.
   */
  readonly isHeavy?: boolean
  /** A function of the config file can refuse it with any 4xx status and its own code and message. */
  readonly isHooked?: boolean
  /**
   * The scope that a machine's key needs for this call: `read`, or an action on a resource. Without it, no key can make
   * the call. The key's roles are checked as well, as for anybody.
   */
  readonly scope?: 'read' | `${string}:${string}`
  /**
   * Whether a pipeline that signed in by a trust rule can make it, and a key that rotates itself, although other keys
   * cannot.
   */
  readonly isForPipelines?: true
  /** Whether a key that was created to rotate itself can make it whatever its scopes. */
  readonly isForSelfRotation?: true
  /** Starts a session or a device sign-in. The header `labelHeader` carries the device's label. */
  readonly takesLabel?: true
  /** The client reads its session again after this call. */
  readonly refreshesSession?: boolean
  /** Fields of a POST that may come in the query when the body lacks them. */
  readonly alsoInQuery?: readonly string[]
  /** Query parameters that are lists: a repeated one counts whole, joined by commas. Of any other the last one counts. */
  readonly lists?: readonly string[]
  /** `html`: a page for a browser instead of JSON. `form`: a page that posts back to us. */
  readonly answer?: 'json' | 'html' | 'form'
  /**
   * The body of a POST. `form`: only from our own pages, unless it is `isCrossSite`. `any`: JSON, or a form that
   * another program sends.
   */
  readonly body?: 'json' | 'form' | 'any'
  /** The failure for invalid input. */
  readonly inputRefusal?: 'OAUTH_INPUT_INVALID'
  /** A POST that another site's page sends on purpose. Its own content proves who began it. */
  readonly isCrossSite?: boolean
  /** A GET that is refused from a foreign page, as a POST is: it counts against the visitor, or binds them to something. */
  readonly isGuarded?: true
  /**
   * Input fields that the answer repeats, with their place in it: `{ userId: 'user.id' }`. A place in a list is that of
   * each item. The client refuses another answer. `organizationId` is always repeated where the answer has one.
   */
  readonly repeats?: Readonly<Record<string, string>>
  /** The code with which unreadable input redirects to the error page, for calls made by a person's browser. */
  readonly whenUnreadable?: RedirectError
}

export type CallGroup = Readonly<Record<string, Call>>
export type Input<C extends Call> = z.output<C['input']>
export type Output<C extends Call> = z.output<C['output']>
/** The argument of the client's function for a call. */
export type Argument<C extends Call> = z.input<C['input']>

/** The failure of input that a call does not take. */
export const inputFailureOf = ({ method, inputRefusal }: Pick<Call, 'method' | 'inputRefusal'>): FailureName =>
  inputRefusal ?? (method === 'GET' ? 'INVALID_QUERY' : 'INVALID_BODY')

export const call = <const C extends Call>(record: C): C => record
