import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startAnswers, usual } from './answers.ts'
import { startPty } from './pty.ts'

const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
const rounds = Number(process.argv[2] ?? 15)

interface Case {
  readonly line: string
  /** How much longer than `node -e 0` it may take. */
  readonly budget: number
  /** Measured in a terminal, up to its first frame. */
  readonly frame?: string
}

const cases: readonly Case[] = [
  { line: '--version', budget: 1.5 },
  { line: '--help', budget: 2 },
  { line: 'session list --help', budget: 2 },
  { line: 'sesion list', budget: 2.6 },
  { line: 'org nonesuch', budget: 2.6 },
  { line: 'account --nonesuch', budget: 2.6 },
  { line: 'api list --nonesuch', budget: 2.6 },
  { line: 'schema --nonesuch', budget: 2.6 },
  { line: 'whoami --account nobody@example.com', budget: 2.6 },
  { line: 'commands --json', budget: 2 },
  { line: '__complete -- session l', budget: 2.6 },
  { line: 'whoami', budget: 5 },
  { line: 'session list --json', budget: 5 },
  { line: 'tui', budget: 8, frame: 'Home' },
]

type Env = Readonly<Record<string, string>>

/**
 * Prints the start-up of the built program beside its budget. Nothing of this environment goes along but PATH: with
 * NODE_EXTRA_CA_CERTS Node alone takes twice as long, and every ratio is smaller.
 */
async function main(): Promise<void> {
  const service = await startAnswers(usual())
  const folder = mkdtempSync(join(tmpdir(), 'postern-start-'))
  const own = { POSTERN_URL: service.url, POSTERN_CONFIG_DIR: folder, POSTERN_STATE_DIR: folder }
  const env = { PATH: process.env.PATH ?? '', HOME: folder, ...own }
  await time([bin, 'sign-in', '--email', 'alice@example.com', '--password-file', '-'], env)
  const base: number[] = []
  const times = cases.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    base.push(await time(['-e', '0'], env))
    for (const [index, one] of cases.entries()) times[index]?.push(await timeOf(one, env))
  }
  print(median(base), times.map(median))
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}

function print(base: number, medians: readonly number[]): void {
  process.stdout.write(`node -e 0: ${base.toFixed(0)} ms, median of ${rounds} (node ${process.version})\n`)
  for (const [index, { line, budget, frame }] of cases.entries()) {
    const ratio = (medians[index] ?? 0) / base
    const row = [ratio.toFixed(2), 'of', budget.toFixed(1), ratio > budget ? 'over' : 'kept']
    process.stdout.write(`${row.join(' ')}  postern ${line}${frame === undefined ? '' : ', first frame'}\n`)
  }
}

const timeOf = ({ line, frame }: Case, env: Env): Promise<number> =>
  frame === undefined ? time([bin, ...line.split(' ')], env) : timeToFrame([bin, ...line.split(' ')], env, frame)

/** Milliseconds from the start of a process to its end. */
async function time(args: readonly string[], env: Env): Promise<number> {
  const start = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin?.end('password\n')
  await once(child, 'exit')
  return performance.now() - start
}

async function timeToFrame(args: readonly string[], env: Env, text: string): Promise<number> {
  const start = performance.now()
  const terminal = startPty(process.execPath, args, { env })
  await terminal.shows(text)
  const taken = performance.now() - start
  terminal.type('q')
  await terminal.exit
  terminal.close()
  return taken
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

await main()
