/** How one try ended. */
export interface AttemptResult {
  readonly method: string
  /** Undefined where no answer came. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** A network fault that another try may not meet. */
  readonly isPassingFault?: boolean
}

export interface RetryRules {
  readonly retries: number
  /** Milliseconds before the first repetition. */
  readonly delay: number
}

/**
 * Milliseconds to wait before the same request is sent again, undefined when it is not: GET on network faults, any verb
 * on 429 and on 503 with Retry-After, where the service did nothing. No other write is ever repeated.
 */
export function retryDelay(last: AttemptResult, retried: number, { retries, delay }: RetryRules): number | undefined {
  if (retried >= retries || !mayRepeat(last)) return undefined
  const asked = retryAfter(last.headers)
  return asked === undefined ? delay * 2 ** retried * (0.8 + Math.random() * 0.4) : asked + Math.random() * delay * 0.2
}

function mayRepeat({ method, status, headers, isPassingFault }: AttemptResult): boolean {
  if (status === undefined) return method === 'GET' && isPassingFault === true
  return status === 429 || (status === 503 && retryAfter(headers) !== undefined)
}

/** Milliseconds of Retry-After or X-Retry-After: seconds, or a date (RFC 9110 section 10.2.3). */
function retryAfter(headers: Readonly<Record<string, string>> = {}): number | undefined {
  const text = headers['retry-after'] ?? headers['x-retry-after']
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
