import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ContenderName, startContender } from './contenders.ts'
import type { BenchDatabase } from './database.ts'

/** From the start of a process until it took requests, and what it occupies two seconds later. */
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
  const names = ['ours', 'peer-1.2', 'peer-1.7'] as const
  const addresses = new Map<ContenderName, string>()
  const results: StartUpRound[] = []
  // The first one makes the tables.
  for (let n = 0; n <= rounds; n += 1) {
    const started: Partial<Record<ContenderName, StartUp>> = {}
    for (const name of n % 2 === 0 ? names : names.toReversed()) {
      const known = addresses.get(name)
      const address = known ?? (await database.create(`start_${name.replace('.', '_')}`))
      addresses.set(name, address)
      started[name] = await startOnce(name, address, known !== undefined)
    }
    if (n > 0) results.push({ firstMilliseconds: await startFirst(), ...started })
  }
  return results
}

async function startOnce(name: ContenderName, database: string, isMigrated: boolean): Promise<StartUp> {
  const contender = await startContender(name, { database, isMigrated })
  await sleep(2000)
  const { residentMb } = contender.cost()
  await contender.stop()
  return { milliseconds: contender.startMs, cpu: contender.startCpuMs, idleMb: residentMb }
}

async function startFirst(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-first-'))
  const contender = await startContender('ours', { env: { DATA_DIR: folder } })
  await contender.stop()
  rmSync(folder, { recursive: true, force: true })
  return contender.startMs
}
