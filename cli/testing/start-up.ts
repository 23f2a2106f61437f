import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startAnswers, usual } from './answers.ts'

const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
const rounds = Number(process.argv[2] ?? 10)

/** What is measured, and how much longer than `node -e 0` it may take. */
const cases: readonly (readonly [argv: string, budget: number])[] = [
  ['--version', 1.5],
  ['session list --help', 1.5],
  ['sesion list', 1.6],
  ['whoami --account nobody@example.com', 1.6],
  ['whoami', 4],
  ['session list --json', 4],
]

/**
 * Prints the start-up of the built program beside its budget. The environment goes along: with NODE_EXTRA_CA_CERTS Node 20
 * alone takes twice as long, and every ratio is smaller.
 */
async function main(): Promise<void> {
  const service = await startAnswers(usual())
  const folder = mkdtempSync(join(tmpdir(), 'postern-start-'))
  const env = {
    ...process.env,
    POSTERN_URL: service.url,
    POSTERN_CONFIG_DIR: folder,
    POSTERN_STATE_DIR: folder,
  }
  await time([bin, 'sign-in', '--email', 'alice@example.com', '--password-file', '-'], env)
  const base: number[] = []
  const times = cases.map((): number[] => [])
  for (let round = 0; round < rounds; round += 1) {
    base.push(await time(['-e', '0'], env))
    for (const [index, [argv]] of cases.entries()) times[index]?.push(await time([bin, ...argv.split(' ')], env))
  }
  print(median(base), times.map(median))
  await service.close()
  rmSync(folder, { recursive: true, force: true })
}

function print(base: number, medians: readonly number[]): void {
  process.stdout.write(`node -e 0: ${base.toFixed(0)} ms, median of ${rounds} (node ${process.version})\n`)
  for (const [index, [argv, budget]] of cases.entries()) {
    const ratio = (medians[index] ?? 0) / base
    const verdict = ratio > budget ? 'over' : 'kept'
    process.stdout.write(`${ratio.toFixed(2)} of ${budget.toFixed(1)} ${verdict}  postern ${argv}\n`)
  }
}

/** Milliseconds from the start of a process to its end. */
async function time(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const start = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'ignore'] })
  child.stdin?.end('password\n')
  await once(child, 'exit')
  return performance.now() - start
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

await main()
