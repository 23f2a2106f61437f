import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startContender } from '../contenders.ts'
import { type BenchDatabase, startDatabase } from '../database.ts'
import { idleTime } from '../start-up.ts'
import { Connections } from './connections.ts'
import { Crowd, inTurn, type Person } from './crowd.ts'
import { askUntil } from './stream.ts'
import { Tally } from './tally.ts'

export const cores = availableParallelism()
/** Sign-ins at once that keep every core hashing. */
const fullWidth = 32

/** A service with its database and its people, before any load. */
export type Place = Awaited<ReturnType<typeof fillPlace>>

export interface Capacity {
  /** Sign-ins a second. */
  readonly perSecond: number
  readonly idleMb: number
  readonly afterSignInsMb: number
}

/** Databases that run. Services end with this process. */
const databases = new Set<BenchDatabase>()

export async function stopDatabases(): Promise<void> {
  for (const database of databases) await database.stop()
}

/** The built service on a new database, with its usual limits; it ends with the work. */
export async function atPlace<T extends object>(work: (place: Place) => Promise<T>) {
  const database = await startDatabase()
  databases.add(database)
  try {
    const place = await fillPlace(database)
    try {
      return { postgresql: database.version, ...(await work(place)) }
    } finally {
      await place.stop()
    }
  } finally {
    databases.delete(database)
    await database.stop()
  }
}

async function fillPlace(database: BenchDatabase) {
  const env = { RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' }
  const contender = await startContender('ours', { database: await database.create('load'), env, isUnlogged: true })
  await sleep(idleTime)
  const idleMb = contender.cost().residentMb
  const connections = new Connections(contender.origin, 4000)
  const tally = new Tally()
  const crowd = new Crowd(connections, tally)
  const [readers, signers, owners, approvers] = [
    await crowd.people(50),
    await crowd.people(100),
    await crowd.people(50),
    await crowd.people(10),
  ]
  return {
    database,
    contender,
    crowd,
    tally,
    idleMb,
    groups: { readers, signers, owners, approvers },
    people: [...readers, ...signers, ...owners, ...approvers],
    stop: async () => {
      connections.close()
      await contender.stop()
    },
  }
}

/** The most sign-ins that the service does when nothing else is asked of it. */
export async function measureCapacity({ crowd, contender, idleMb, groups }: Place, seconds: number): Promise<Capacity> {
  await signInFor(crowd, groups.signers, 3)
  const done = await signInFor(crowd, groups.signers, seconds)
  return { perSecond: done / seconds, idleMb, afterSignInsMb: contender.cost().residentMb }
}

/** How many were signed in. */
export async function signInFor(crowd: Crowd, people: readonly Person[], seconds: number): Promise<number> {
  const next = inTurn(people)
  let done = 0
  const end = performance.now() + seconds * 1000
  await askUntil(end, fullWidth, async () => {
    if ((await crowd.signIn(next())) && performance.now() < end) done += 1
  })
  return done
}
