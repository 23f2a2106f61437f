import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Contender, type ContenderName, startContender } from './contenders.ts'
import type { BenchDatabase } from './database.ts'

/** Milliseconds after which V8 has given back what the start took. */
export const idleTime = 40_000

/** From the start of a process until it took requests, and what it occupies when it has been idle. */
export interface StartUp {
  readonly milliseconds: number
  readonly cpu: number
  readonly idleMb: number
}

export interface StartUpRound extends Readonly<Partial<Record<ContenderName, StartUp>>> {
  /** The service's first start ever, which creates and migrates its embedded database. */
  readonly firstMilliseconds: number
}

export async function measureStartUp(database: BenchDatabase, rounds: number): Promise<readonly StartUpRound[]> {
  const addresses = new Map<ContenderName, string>()
  const results: StartUpRound[] = []
  // The first one makes the tables.
  for (let n = 0; n <= rounds; n += 1) {
    const order = n % 2 === 0 ? names : names.toReversed()
    const measured = await startInTurn(order, database, addresses)
    if (n > 0) results.push({ firstMilliseconds: await startFirst(), ...measured })
  }
  return results
}

const names = ['ours', 'peer-1.2', 'peer-1.7'] as const

/** They are idle together, to wait once for all. */
async function startInTurn(
  order: readonly ContenderName[],
  database: BenchDatabase,
  addresses: Map<ContenderName, string>,
): Promise<Partial<Record<ContenderName, StartUp>>> {
  const started: Contender[] = []
  for (const name of order) {
    const known = addresses.get(name)
    const address = known ?? (await database.create(`start_${name.replace('.', '_')}`))
    addresses.set(name, address)
    started.push(await startContender(name, { database: address, isMigrated: known !== undefined }))
    // What it still does then is not the next one's.
    await sleep(2000)
  }
  await sleep(idleTime)
  const measured = started.map((contender) => [contender.name, startUpOf(contender)] as const)
  for (const contender of started) await contender.stop()
  return Object.fromEntries(measured)
}

const startUpOf = (contender: Contender): StartUp => ({
  milliseconds: contender.startMs,
  cpu: contender.startCpuMs,
  idleMb: contender.cost().residentMb,
})

async function startFirst(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-first-'))
  const contender = await startContender('ours', { env: { DATA_DIR: folder } })
  await contender.stop()
  rmSync(folder, { recursive: true, force: true })
  return contender.startMs
}
