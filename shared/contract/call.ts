import type * as z from 'zod'
import type { EdgeFailureName, FailureName, RedirectError } from '../errors.ts'

/**
 * Who may make a call. `anyone`; `visitor`: anyone, and a session is looked up when one is sent; `session`: only somebody
 * who is signed in; `server`: only a trusted server that sends the service key, for all others the call is not there (404).
 */
type Access = 'anyone' | 'visitor' | 'session' | 'server'

/** The only description of a call: routes, client, OpenAPI and tests are made from it. */
export interface Call {
  readonly method: 'GET' | 'POST'
  /** Below the base path; `{name}` stands for a field of the input. */
  readonly path: string
  readonly summary: string
  readonly access: Access
  /** The JSON body of a POST, the query of a GET. */
  readonly input: z.ZodType
  readonly output: z.ZodType
  /** Its own failures; those of the edge belong to every call. */
  readonly failures: readonly Exclude<FailureName, EdgeFailureName>[]
  /** A POST that only asks: read-only mode lets it through. */
  readonly isReading?: true
  /** May answer much: a user has few such calls at a time. A list names its next page in the Link header (RFC 8288). */
  readonly isHeavy?: boolean
  /** A function of the config file may refuse it: any 4xx, with a code and a sentence of the function's own. */
  readonly isHooked?: boolean
  /**
   * What a machine's key needs to make this call: `read`, or an action on a resource. Absent: no key may make it. What its
   * roles allow is asked besides, as of anybody.
   */
  readonly scope?: 'read' | `${string}:${string}`
  /** Whether a pipeline that signed in by a trust rule may make it, though no key may. */
  readonly isForPipelines?: true
  /** Starts a session, or what becomes one: the header of `label.ts` says what its machine calls itself. */
  readonly takesLabel?: true
  /** The client reads its session again after this call. */
  readonly refreshesSession?: boolean
  /** Fields of a POST that the query may hold when the body does not. */
  readonly alsoInQuery?: readonly string[]
  /** `html`: a page for a browser instead of JSON; `form`: one that posts back to us. */
  readonly answer?: 'json' | 'html' | 'form'
  /** What a POST's body is; `form`: of our own pages alone, unless it is `isCrossSite`; `any`: JSON, or a form that another program sends. */
  readonly body?: 'json' | 'form' | 'any'
  /** How an input that is not acceptable is told. */
  readonly inputRefusal?: 'OAUTH_INPUT_INVALID'
  /** A POST that a foreign page sends on purpose; what it carries proves by itself who began. */
  readonly isCrossSite?: boolean
  /** The code with which an input that cannot be read leads to the error page, where a person looks on. */
  readonly whenUnreadable?: RedirectError
}

export type CallGroup = Readonly<Record<string, Call>>
export type Input<C extends Call> = z.output<C['input']>
export type Output<C extends Call> = z.output<C['output']>
/** What is handed to the client's function for a call. */
export type Argument<C extends Call> = z.input<C['input']>

export const call = <const C extends Call>(record: C): C => record
