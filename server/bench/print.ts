import { contenderNames } from './contenders.ts'
import type { Round } from './results.ts'
import type { StartUpRound } from './start-up.ts'
import { figureOf, ratioOf, spreadOf } from './statistics.ts'

const write = (line: string) => process.stdout.write(`${line}\n`)
const digits = (value: number | undefined) => (value === undefined ? '-' : Number(value.toPrecision(3)).toString())

export function printRounds(scenario: string, rounds: readonly Round[]): void {
  write(`\n${scenario}`)
  for (const name of contenderNames) {
    const median = (figure: Parameters<typeof figureOf>[2]) => digits(figureOf(rounds, name, figure)?.median)
    const errors = figureOf(rounds, name, ({ errors: count }) => count)
    if (!errors) continue
    const ratio = ratioOf(rounds, [name, 'ours'], ({ cpu }) => cpu)
    write(
      [
        name.padEnd(9),
        `${median(({ rate }) => rate)} a second`.padEnd(18),
        `p50 ${median(({ p50 }) => p50)} p99 ${median(({ p99 }) => p99)} ms`.padEnd(26),
        `CPU ${median(({ cpu }) => cpu)} + PostgreSQL ${median(({ databaseCpu }) => databaseCpu)} ms`.padEnd(36),
        `${median(({ residentMb }) => residentMb)} MB`.padEnd(9),
        `${digits(ratio?.median)} (${digits(ratio?.least)} to ${digits(ratio?.most)}) times the CPU`,
        errors.most > 0 ? `up to ${errors.most} ERRORS` : '',
      ].join(' '),
    )
  }
}

export function printStartUp(rounds: readonly StartUpRound[]): void {
  write('\nstart-up')
  const first = spreadOf(rounds.map(({ firstMilliseconds }) => firstMilliseconds))
  write(`ours      the first start ever ${digits(first.median)} ms`)
  for (const name of contenderNames) {
    const starts = rounds.flatMap((round) => round[name] ?? [])
    if (starts.length === 0) continue
    const median = (figure: (start: (typeof starts)[number]) => number) => digits(spreadOf(starts.map(figure)).median)
    const [time, cpu] = [median(({ milliseconds }) => milliseconds), median(({ cpu: used }) => used)]
    write(`${name.padEnd(9)} ${time} ms, ${cpu} ms of CPU, idle ${median(({ idleMb }) => idleMb)} MB`)
  }
}
