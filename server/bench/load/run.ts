// Loads the built service as a process of its own: `npm run test:load`. Loopback only; ends by itself.
import { parseArgs } from 'node:util'
import { programOptions } from '../program-options.ts'
import { describeMachine, writeResult } from '../results.ts'
import { lineOf } from './bounds.ts'
import { runMixed } from './mixed.ts'
import { runOverload } from './overload.ts'
import { stopDatabases } from './place.ts'

const loads = {
  overload: { minutes: 5, run: runOverload },
  mixed: { minutes: 60, run: runMixed },
} as const
type Name = keyof typeof loads

const usage = `Usage: npm run test:load -- [overload] [mixed] [--minutes <number>] [--print]

Starts a database and the built service, and asks it at fixed rates, whatever the answers take:

  overload  ten times as many sign-ins as it can do, for 5 minutes, while others look at their sessions
  mixed     1,000 reads a second, sign-ins at half its capacity, organizations, devices, the trail, for an hour

Checks whose answers came back and what was kept, and fails when a bound is broken. Writes server/bench/results, from
which docs/performance.md is made (npm run docs); --print writes nothing. Without a name it runs both.

Example: npm run test:load -- overload --minutes 1 --print
`

interface Options {
  readonly names: readonly Name[]
  readonly minutes: number | undefined
  readonly isPrintOnly: boolean
  readonly isHelp: boolean
}

/** Throws for arguments that are none of ours. */
function readOptions(): Options {
  const flag = { type: 'boolean' } as const
  const options = { minutes: { type: 'string' }, print: flag, help: flag } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const { minutes, print = false, help = false } = values
  const known = Object.keys(loads) as Name[]
  const unknown = positionals.find((name) => !known.includes(name as Name))
  if (unknown !== undefined) throw new Error(`There is no load ${unknown}.`)
  if (minutes !== undefined && !/^[1-9]\d*$/.test(minutes))
    throw new Error(`--minutes takes a whole number from 1 on, not ${minutes}.`)
  return {
    names: positionals.length === 0 ? known : (positionals as Name[]),
    minutes: minutes === undefined ? undefined : Number(minutes),
    isPrintOnly: print,
    isHelp: help,
  }
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function runLoad(name: Name, { minutes = loads[name].minutes, isPrintOnly }: Options): Promise<void> {
  const { bounds, ...figures } = await loads[name].run(minutes, say)
  say(JSON.stringify(figures))
  say([`${name}, ${minutes} min`, ...bounds.map(lineOf)].join('\n'))
  if (bounds.some(({ isHeld }) => !isHeld)) process.exitCode = 1
  const surroundings = describeMachine(figures.postgresql)
  if (!isPrintOnly) writeResult(`load-${name}`, { scenario: `load-${name}`, surroundings, ...figures, bounds })
}

async function main(): Promise<void> {
  const options = programOptions(usage, readOptions)
  // An interrupted run leaves nothing behind. The service ends with this process.
  const leave = () => void stopDatabases().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave)
  for (const name of options.names) await runLoad(name, options)
}

await main()
