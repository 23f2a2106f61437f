/** Milliseconds: for one answer, and for all that one sign-in has to ask. */
export interface CallTimes {
  readonly answer: number
  readonly flow: number
}

export const callTimes: CallTimes = { answer: 5000, flow: 10_000 }
/** Bytes: a provider's answer has a few kilobytes. */
const maxSize = 262_144
/** So many failures in a row, and a host is not asked again for so many milliseconds. */
const maxFailures = 10
const restTime = 30_000

interface Asked {
  readonly method?: string
  readonly headers?: Headers | Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams | null
  readonly signal?: AbortSignal | undefined
}

/** Asks a provider: within a deadline, up to a size, never where a redirect leads. The answer is read whole. */
export type CallOut = (address: string, asked?: Asked) => Promise<Response>

interface Circuit {
  failures: number
  restsUntil: number
}

/**
 * A host that does not answer is left alone for a while, so that its users get their refusal at once and no sockets pile up.
 * What it answers, whatever the status below 500, counts as alive.
 */
export function createCallOut(now: () => number, answerTime = callTimes.answer): CallOut {
  const circuits = new Map<string, Circuit>()
  return async (address, asked = {}) => {
    const { origin } = new URL(address)
    const circuit = circuits.get(origin) ?? { failures: 0, restsUntil: 0 }
    circuits.set(origin, circuit)
    if (now() < circuit.restsUntil) throw new Error(`${origin} failed too often and is left alone for a while`)
    let isAlive = false
    try {
      const response = await answerOf(address, asked, answerTime)
      isAlive = response.status < 500
      return response
    } finally {
      settle(circuit, isAlive, now())
    }
  }
}

/** After the rest one failure is enough for the next one. */
function settle(circuit: Circuit, isAlive: boolean, now: number): void {
  circuit.failures = isAlive ? 0 : circuit.failures + 1
  if (circuit.failures >= maxFailures) circuit.restsUntil = now + restTime
}

async function answerOf(
  address: string,
  { method = 'GET', headers, body, signal }: Asked,
  answerTime: number,
): Promise<Response> {
  const deadline = AbortSignal.timeout(answerTime)
  const response = await fetch(address, {
    method,
    ...(headers ? { headers } : {}),
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  })
  const text = await readWhole(response)
  const bodiless = response.status === 204 || response.status === 205 || response.status === 304
  return new Response(bodiless ? null : text, { status: response.status, headers: response.headers })
}

/** A body that is too long is not read to its end. */
async function readWhole({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxSize) throw new Error(`The answer is longer than ${maxSize} bytes`)
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
