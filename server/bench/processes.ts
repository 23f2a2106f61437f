import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  readonly id: number
  readonly parent: number
  /** Ticks of CPU, those of ended children included. */
  readonly ticks: number
  readonly residentBytes: number
}

/** What processes have cost so far. */
export interface Cost {
  readonly cpuMs: number
  /** What is in memory for them; what several of them share counts once for each. */
  readonly residentMb: number
}

const known = new Map<string, number>()

/** A constant of the system, asked for once. */
function constant(name: 'CLK_TCK' | 'PAGESIZE'): number {
  const value = known.get(name) ?? Number(execFileSync('getconf', [name], { encoding: 'utf8' }))
  known.set(name, value)
  return value
}

/** The cost of a process and all its descendants. */
export function costOf(root: number): Cost {
  const family = familyOf(root)
  const ticks = family.reduce((sum, process) => sum + process.ticks, 0)
  const bytes = family.reduce((sum, process) => sum + process.residentBytes, 0)
  return { cpuMs: (ticks * 1000) / constant('CLK_TCK'), residentMb: bytes / 2 ** 20 }
}

/** What is in memory for a process and all its descendants; what they share counts once. */
export function memoryOf(root: number): number {
  const kilobytes = familyOf(root).map(({ id }) => Number(/^Pss: +(\d+) kB$/m.exec(readRollup(id))?.[1] ?? 0))
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024
}

function familyOf(root: number): readonly Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)))
  const family = new Set([root])
  for (const id of family) for (const process of all) if (process.parent === id) family.add(process.id)
  return all.filter(({ id }) => family.has(id))
}

const readRollup = (id: number): string => {
  try {
    return readFileSync(`/proc/${id}/smaps_rollup`, 'latin1')
  } catch {
    return ''
  }
}

/** Nothing for a process that has just ended. */
function readProcess(id: number): readonly Process[] {
  try {
    const line = readFileSync(`/proc/${id}/stat`, 'latin1')
    // The name before these fields may contain blanks and parentheses.
    const fields = line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0)
    return [{ id, parent: fields[1] ?? 0, ticks, residentBytes: (fields[21] ?? 0) * constant('PAGESIZE') }]
  } catch {
    return []
  }
}
