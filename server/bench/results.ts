import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { ContenderName } from './contenders.ts'

/** What one contender did in one round; CPU in milliseconds a request. */
export interface Measured {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  readonly cpu: number
  readonly databaseCpu: number
  readonly residentMb: number
  /** Of PostgreSQL with all its connections, those of the other contenders included. */
  readonly databaseMb: number
  readonly errors: number
}

export type Round = Readonly<Partial<Record<ContenderName, Measured>>>

/** Where and with what a file was measured. */
export interface Surroundings {
  readonly date: string
  readonly machine: string
  readonly versions: Readonly<Record<string, string>>
}

/** A file of results/, for one scenario. */
export interface Result {
  readonly scenario: string
  readonly surroundings: Surroundings
  readonly rounds: readonly Round[]
}

export function writeResult(name: string, result: object): void {
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)
  writeFileSync(new URL(`results/${name}.json`, import.meta.url), `${JSON.stringify(result, rounded, 2)}\n`)
}

export function describeSurroundings(postgresql: string): Surroundings {
  const { versions, ...machine } = describeMachine(postgresql)
  return { ...machine, versions: { ...versions, wrk: wrkVersion(), ...peerVersions() } }
}

export function describeMachine(postgresql: string): Surroundings {
  const memory = Math.round(totalmem() / 2 ** 30)
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores of ${cpus()[0]?.model ?? 'an unknown processor'}, ${memory} GB`,
    versions: {
      'Node.js': process.versions.node,
      PostgreSQL: postgresql,
      Postern: versionIn('../../package.json'),
    },
  }
}

/** `wrk --version` ends with 1. */
const wrkVersion = () =>
  /\d[\w.+-]*/.exec(execFileSync('sh', ['-c', 'wrk --version 2>&1 || true'], { encoding: 'utf8' }))?.[0] ?? ''

const peerVersions = () => ({
  'better-auth (1.2)': versionIn('node_modules/better-auth-1.2/package.json'),
  'better-auth (1.7)': versionIn('node_modules/better-auth-1.7/package.json'),
})

const versionIn = (path: string): string =>
  (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version
