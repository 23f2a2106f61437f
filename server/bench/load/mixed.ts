import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, type Bound } from './bounds.ts'
import { type Crowd, inTurn, type Person } from './crowd.ts'
import { findingsOf, soundness } from './findings.ts'
import { atPlace, measureCapacity, type Place } from './place.ts'
import { startStream } from './stream.ts'
import { startWatch } from './watch.ts'

const readRate = 1000
/** Requests a second beside the reads and the sign-ins. */
const others: readonly (readonly [rate: number, group: 'owners' | 'approvers', ask: Ask])[] = [
  [1, 'owners', (crowd, person) => crowd.createOrganization(person)],
  [20, 'owners', (crowd, person) => crowd.list(person, 'organization/list')],
  [10, 'owners', (crowd, person) => crowd.list(person, 'list-activity')],
  [1, 'approvers', (crowd, person) => crowd.signInDevice(person)],
]
type Ask = (crowd: Crowd, person: Person) => Promise<void>

/** What a busy service does all day: reads, sign-ins at half its capacity, organizations, devices, the trail. */
export const runMixed = (minutes: number, say: (line: string) => void) =>
  atPlace(async (place) => {
    const figures = await measure(place, minutes, say)
    return { ...figures, bounds: boundsOf(figures) }
  })

async function measure(place: Place, minutes: number, say: (line: string) => void) {
  const capacity = await measureCapacity(place, 10)
  say(`${readRate} reads and ${(capacity.perSecond / 2).toFixed(1)} sign-ins a second, and others, for ${minutes} min`)
  const watched = await runAll(place, capacity.perSecond / 2, minutes)
  const { tally } = place
  return {
    minutes,
    capacity,
    ...watched,
    calls: Object.fromEntries(tally.kinds.map((kind) => [kind, tally.wholeOf(kind)])),
    readMinutes: tally.minutesOf('get-session').flatMap((minute) => minute?.served.p99 ?? []),
    ...(await findingsOf(place)),
  }
}

async function runAll({ crowd, contender, database, tally, groups }: Place, signInRate: number, minutes: number) {
  const [reader, signer] = [inTurn(groups.readers), inTurn(groups.signers)]
  tally.closeMinute()
  const watch = startWatch(contender, database, tally)
  const streams = [
    startStream(readRate, () => void crowd.read(reader())),
    startStream(signInRate, () => void crowd.signIn(signer())),
    ...others.map(([rate, group, ask]) => {
      const next = inTurn(groups[group])
      return startStream(rate, () => void ask(crowd, next()))
    }),
  ]
  await sleep(minutes * 60_000 + 500)
  for (const stream of streams) stream.stop()
  const watched = watch.stop()
  // What is in flight is answered, and counted.
  await sleep(5000)
  return { ...watched, signInRate, generatorLateMs: Math.max(...streams.map(({ latest }) => latest)) }
}

type Figures = Awaited<ReturnType<typeof measure>>

function boundsOf({ minutes, keptMb, calls, readMinutes, ...findings }: Figures): Bound[] {
  // Compiled code, connections and caches take their place in the first minutes.
  const warm = Math.min(10, Math.floor(minutes / 2))
  // The engine lets its heap grow for some minutes before it collects all of it.
  const span = Math.ceil((minutes - warm) / 5)
  const growth = ratio(Math.min(...keptMb.slice(-span)), Math.min(...keptMb.slice(warm, warm + span)))
  const all = Object.values(calls)
  return [
    atMost('growth of the memory that it keeps, after ten minutes (or half the time), as a ratio', 1.05, growth),
    atMost('get-session, p99 of the last third of the minutes to the first', 1.5, trend(readMinutes.slice(1))),
    atMost(
      'refusals without Retry-After',
      0,
      all.reduce((sum, one) => sum + one.withoutRetryAfter, 0),
    ),
    ...soundness(findings),
  ]
}

/** NaN, which holds no bound, when there is nothing to compare. */
const ratio = (one = Number.NaN, other = Number.NaN): number => one / other

function trend(minutes: readonly number[]): number {
  const third = Math.max(1, Math.floor(minutes.length / 3))
  return ratio(middle(minutes.slice(-third)), middle(minutes.slice(0, third)))
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
