import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'

/** Settles after the floor plus up to a quarter of it (jitter), however little there was to do; refusals too. */
export async function withAnswerFloor<T>({ answerFloor }: Deps, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, sleep(answerFloor + randomInt(answerFloor / 4 + 1))])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
