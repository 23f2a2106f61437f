import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'

/** Settles not before the floor and up to a quarter more (jitter), however little there was to do; a refusal too. */
export async function inSameTime<T>({ answerFloor }: Deps, work: Promise<T>): Promise<T> {
  const [outcome] = await Promise.allSettled([work, sleep(answerFloor + randomInt(answerFloor / 4 + 1))])
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
