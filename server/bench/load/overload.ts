import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, atMost, type Bound } from './bounds.ts'
import { inTurn } from './crowd.ts'
import { findingsOf, soundness } from './findings.ts'
import { atPlace, type Capacity, cores, measureCapacity, type Place, signInFor } from './place.ts'
import { startStream } from './stream.ts'
import { startWatch } from './watch.ts'

const times = 10
const readRate = 200
const probeRate = 5
/** Seconds of the load with all cores hashing that capacity is measured by. */
const capacitySeconds = 15

/** Ten times as many sign-ins as the service can do, while others look at their sessions. */
export const runOverload = (minutes: number, say: (line: string) => void) =>
  atPlace(async (place) => {
    const figures = await measure(place, minutes, say)
    return { ...figures, bounds: boundsOf(figures) }
  })

async function measure(place: Place, minutes: number, say: (line: string) => void) {
  const capacity = await measureCapacity(place, capacitySeconds)
  say(`${capacity.perSecond.toFixed(1)} sign-ins a second are its capacity; ${times} times as many for ${minutes} min`)
  const calm = await readCalmly(place)
  const watched = await flood(place, capacity.perSecond * times, minutes)
  const recovery = await recoverySeconds(place, capacity)
  const { tally } = place
  return {
    minutes,
    capacity,
    calm,
    ...watched,
    recovery,
    reads: tally.wholeOf('get-session'),
    readMinutes: tally.minutesOf('get-session').flatMap((minute) => minute?.served.p99 ?? []),
    probes: tally.wholeOf('ok'),
    signIns: tally.wholeOf('sign-in'),
    ...(await findingsOf(place)),
  }
}

/** The p99 of reading while nobody signs in, in milliseconds. */
async function readCalmly({ crowd, tally, groups }: Place): Promise<number> {
  tally.closeMinute()
  const next = inTurn(groups.readers)
  const stream = startStream(readRate, () => void crowd.read(next(), 'get-session, calm'))
  await sleep(5000)
  stream.stop()
  await sleep(1000)
  return tally.wholeOf('get-session, calm').served.p99
}

async function flood({ crowd, contender, database, tally, groups }: Place, rate: number, minutes: number) {
  const [reader, signer] = [inTurn(groups.readers), inTurn(groups.signers)]
  tally.closeMinute()
  const watch = startWatch(contender, database, tally)
  const streams = [
    startStream(rate, () => void crowd.signIn(signer())),
    startStream(readRate, () => void crowd.read(reader())),
    startStream(probeRate, () => void crowd.probe()),
  ]
  await sleep(minutes * 60_000 + 500)
  for (const stream of streams) stream.stop()
  return { ...watch.stop(), offered: rate, generatorLateMs: Math.max(...streams.map(({ latest }) => latest)) }
}

/** Seconds after the flood until sign-ins are as fast as before, less what one second differs from another. */
async function recoverySeconds({ crowd, groups }: Place, { perSecond }: Capacity): Promise<number> {
  const longest = 20
  for (let second = 1; second <= longest; second += 1)
    if ((await signInFor(crowd, groups.signers, 1)) >= perSecond * 0.85) return second
  return longest
}

type Figures = Awaited<ReturnType<typeof measure>>

function boundsOf({ capacity, reads, probes, signIns, recovery, memoryMb, wrong, unexpected, lost }: Figures): Bound[] {
  const [first = 0] = memoryMb
  const { 200: readWell = 0, ...readBadly } = reads.statuses
  return [
    atMost('resident memory when idle, MB', 80, capacity.idleMb),
    atMost('resident memory after sign-ins, 32 at once, MB', 150, capacity.afterSignInsMb),
    atLeast('sign-ins a second and core', 35, capacity.perSecond / cores),
    atMost('get-session meanwhile, p99, ms', 100, reads.served.p99),
    atLeast('get-session meanwhile, answered', 1, readWell),
    atMost('get-session meanwhile, not answered', 0, sum(Object.values(readBadly))),
    atMost('GET /ok meanwhile, p99, ms', 50, probes.served.p99),
    atMost('the longest refusal of a sign-in, ms', 2500, signIns.refused.most),
    atMost('refusals without Retry-After', 0, signIns.withoutRetryAfter + reads.withoutRetryAfter),
    atMost('seconds until full speed', 5, recovery),
    atMost('growth of memory from the first minute to the last, MB', 15, (memoryMb.at(-1) ?? first) - first),
    ...soundness({ wrong, unexpected, lost }),
  ]
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
