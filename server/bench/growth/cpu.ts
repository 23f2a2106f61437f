import { readdirSync, readFileSync } from 'node:fs'
import type { World } from './world.ts'

/** Milliseconds of CPU that a service and its database connections have used: these hold on a busy machine, too. */
export async function cpuOf({ pid, sql }: World): Promise<number> {
  const backends = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'postern'
  `
  return [pid, ...backends.map((backend) => backend.pid)].map(processCpu).reduce((sum, ms) => sum + ms, 0)
}

/** Of all threads. Linux counts nanoseconds. */
function processCpu(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
      .reduce((sum, ms) => sum + ms, 0)
  } catch {
    return 0
  }
}
