import { atMost, type Bound } from './bounds.ts'
import { findLost } from './kept.ts'
import type { Place } from './place.ts'

/** How many there are, and the first few. */
type Found = readonly [count: number, examples: readonly string[]]

interface Findings {
  /** Answers that belong to somebody else. */
  readonly wrong: Found
  /** Neither served nor refused: another status, or no answer. */
  readonly unexpected: Found
  readonly lost: Found
}

/** What must not be, whatever the load. */
export async function findingsOf({ contender, crowd, people, tally }: Place): Promise<Findings> {
  const lost = await findLost(contender.database, crowd, people)
  return {
    wrong: [tally.wrongCount, tally.wrong],
    unexpected: [tally.unexpectedCount, tally.unexpected],
    lost: [lost.length, lost.slice(0, 10)],
  }
}

export const soundness = ({ wrong, unexpected, lost }: Findings): Bound[] => [
  atMost('wrong answers', 0, wrong[0]),
  atMost('answers that are neither right nor a refusal', 0, unexpected[0]),
  atMost('acknowledged writes lost, or kept twice', 0, lost[0]),
]
