import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type BenchDatabase, startDatabase } from './database.ts'
import { printRounds, printStartUp } from './print.ts'
import { programOptions } from './program-options.ts'
import { describeSurroundings, writeResult } from './results.ts'
import { runScenario } from './run-scenario.ts'
import { scenarios } from './scenarios.ts'
import { measureStartUp } from './start-up.ts'

const startUp = 'start-up'
const names: readonly string[] = [...scenarios.map(({ name }) => name), startUp]

const usage = `Usage: npm run bench -- [scenario...] [--rounds 5] [--seconds 3] [--print]

Measures the service beside its peers, writes server/bench/results, and makes docs/performance.md anew from them.
Without a scenario it measures all of them, which takes an hour. --print writes nothing.

Scenarios: ${names.join(', ')}

Example: npm run bench -- get-session sign-in-8 --rounds 7
`

interface Options {
  readonly chosen: readonly string[]
  readonly rounds: number
  readonly seconds: number
  readonly isPrintOnly: boolean
  readonly isHelp: boolean
}

/** Throws for arguments that are none of ours. */
function readOptions(): Options {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { rounds: text, seconds: text, print: flag, help: flag } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const { rounds = '5', seconds = '3', print = false, help = false } = values
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}.`)
  const chosen = positionals.length === 0 ? names : positionals
  const [count, length] = [readNumber('--rounds', rounds), readNumber('--seconds', seconds)]
  return { chosen, rounds: count, seconds: length, isPrintOnly: print, isHelp: help }
}

function readNumber(option: string, value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new Error(`${option} takes a whole number from 1 on, not ${value}.`)
  return Number(value)
}

/** What this machine lacks, and how to get it. */
function findMissing(): readonly string[] {
  const hasWrk = spawnSync('wrk', ['--version'], { stdio: 'ignore' }).error === undefined
  const isInstalled = existsSync(new URL('node_modules/better-auth-1.7', import.meta.url))
  const isBuilt = existsSync(new URL('../../dist/cli/main.js', import.meta.url))
  return [
    ...(process.platform === 'linux' ? [] : ['The cost of processes is read from /proc, which only Linux has.']),
    ...(hasWrk ? [] : ['wrk, which makes the requests, is not installed. On Debian: apt-get install wrk']),
    ...(isInstalled ? [] : ['The peers are not installed: npm ci --prefix server/bench']),
    ...(isBuilt ? [] : ['The service is not built: npm run build']),
  ]
}

async function runAll(options: Options): Promise<void> {
  const database = await startDatabase()
  // An interrupted run leaves neither a server nor a folder behind. The contenders end with this process.
  const leave = () => void database.stop().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave)
  await runChosen(options, database)
  await database.stop()
}

async function runChosen({ chosen, rounds, seconds, isPrintOnly }: Options, database: BenchDatabase): Promise<void> {
  const write = (name: string, result: object) => {
    const surroundings = describeSurroundings(database.version)
    if (!isPrintOnly) writeResult(name, { scenario: name, surroundings, ...result })
  }
  for (const scenario of scenarios.filter(({ name }) => chosen.includes(name)))
    await orReport(scenario.name, async () => {
      const measured = await runScenario(scenario, database, { rounds, seconds })
      printRounds(scenario.title, measured)
      write(scenario.name, { rounds: measured })
    })
  if (!chosen.includes(startUp)) return
  await orReport(startUp, async () => {
    const measured = await measureStartUp(database, rounds)
    printStartUp(measured)
    write(startUp, { rounds: measured })
  })
}

/** One that fails does not end the others; its last figures remain. */
async function orReport(name: string, measure: () => Promise<void>): Promise<void> {
  try {
    await measure()
  } catch (error) {
    process.stderr.write(`\n${name} was not measured: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}

function makeDocuments(): void {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const { status } = spawnSync('npm', ['run', '--silent', 'docs'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('docs/performance.md is not made anew: npm run docs')
}

async function main(): Promise<void> {
  const options = programOptions(usage, readOptions)
  const missing = findMissing()
  if (missing.length > 0) {
    process.stderr.write(`Nothing was measured.\n${missing.join('\n')}\n`)
    process.exitCode = 1
    return
  }
  await runAll(options)
  if (!options.isPrintOnly) makeDocuments()
}

await main()
