/** How a call ended: with an answer below 500; without a connection; or with a 5xx, a broken answer, or none in time. */
export type Outcome = 'answered' | 'unreachable' | 'failed'

/** Whether a host is left alone for a while, so that its users get their refusal at once and no sockets pile up. */
export interface Circuit {
  isOpen(): boolean
  settle(caller: string, outcome: Outcome): void
}

/** Milliseconds: failures count together for the one, and the host rests for the other. */
const window = 60_000
const restTime = 30_000
/** So many failures open it; after a rest so few, until there is an answer. */
const maxFailures = 10
const maxProbes = 2
/** Bounds the memory; by then the rate alone decides. */
const maxCallers = 1000

/**
 * A failure to connect is the host's own. Any other may be what one caller sent, such as a code that makes the host err: these
 * count once for each caller, so that no one alone turns a host off for all. Where more is answered than fails, it stays on.
 */
export function createCircuit(now: () => number): Circuit {
  let counts = countsSince(now())
  let restsUntil = 0
  let isProbed = false
  const isOpen = () => now() < restsUntil
  return {
    isOpen,
    settle(caller, outcome) {
      // Asked before the host was left alone.
      if (isOpen()) return
      const isOver = now() - counts.since >= window || (isProbed && outcome === 'answered')
      if (isOver) counts = countsSince(now())
      if (outcome === 'answered') isProbed = false
      count(counts, caller, outcome)
      if (failuresOf(counts) < (isProbed ? maxProbes : maxFailures) || failuresOf(counts) <= counts.answered) return
      restsUntil = now() + restTime
      isProbed = true
      counts = countsSince(now())
    },
  }
}

interface Counts {
  readonly since: number
  readonly failedCallers: Set<string>
  answered: number
  unreachable: number
}

const countsSince = (since: number): Counts => ({ since, failedCallers: new Set(), answered: 0, unreachable: 0 })

const failuresOf = ({ unreachable, failedCallers }: Counts): number => unreachable + failedCallers.size

function count(counts: Counts, caller: string, outcome: Outcome): void {
  if (outcome !== 'failed') counts[outcome] += 1
  else if (counts.failedCallers.size < maxCallers) counts.failedCallers.add(caller)
}
