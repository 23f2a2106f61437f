import type { MailServer } from '../smtp.ts'
import type { Findings } from './audit-writes.ts'
import type { Workload } from './workload.ts'

/** What a run came to, to be read by people. */
export class Figures {
  readonly #gaps = new Map<string, number[]>()
  readonly #counts = new Map<string, number>()

  /** Milliseconds without an acknowledged write. */
  addGap(fault: string, gap: number): void {
    this.#gaps.set(fault, [...(this.#gaps.get(fault) ?? []), gap])
  }

  add(name: string, count: number): void {
    this.#counts.set(name, count)
  }

  addWrites(
    { writes, people, wrong, signedOut, statuses }: Workload,
    found: Findings,
    mails: MailServer['mails'],
  ): void {
    const count = (known: string) => writes.filter((write) => write.known === known).length
    for (const [status, answers] of statuses) this.add(status === 0 ? 'no answer' : `answers ${status}`, answers)
    this.add('writes acknowledged', count('done'))
    this.add('  of them lost', found.lost.length)
    this.add('writes told as not done', count('not done'))
    this.add('  of them done', found.denied.length)
    this.add('writes without an answer', count('unknown'))
    this.add('people', people.length)
    this.add('  signed out', signedOut.length)
    this.add("answers with somebody else's data", wrong.length)
    this.add('acts without exactly one row in the trail', found.trail.length)
    this.add('mails', mails.length)
    this.add('  sent twice', mails.length - new Set(mails.map(({ to }) => to.join())).size)
  }

  addCauses(causes: ReadonlyMap<string, number>): void {
    for (const [cause, count] of causes) this.add(`503: ${cause}`, count)
  }

  print(): void {
    const gaps = [...this.#gaps].map(([fault, all]) => `${fault}, ${all.length} times: ${spread(all)}`)
    const primary = [...this.#gaps].filter(([fault]) => !fault.startsWith('service')).flatMap(([, all]) => all)
    const lines = [
      'Seconds from the fault to the next acknowledged write, median and worst:',
      ...gaps,
      ...(primary.length > 0 ? [`all faults of the primary: ${spread(primary)}`] : []),
      ...[...this.#counts].map(([name, count]) => `${name}: ${count}`),
    ]
    process.stdout.write(`\n${lines.join('\n')}\n\n`)
  }
}

function spread(all: readonly number[]): string {
  const sorted = all.toSorted((a, b) => a - b)
  const seconds = (index: number) => ((sorted[index] ?? 0) / 1000).toFixed(2)
  return `${seconds(Math.floor(sorted.length / 2))} s, ${seconds(sorted.length - 1)} s`
}

/** What the log line of each 503, found by its request id, says of the cause. */
export function causesOfRefusals(logs: readonly string[], refusals: Workload['refusals']) {
  const lines = new Map<string, string | undefined>()
  for (const line of logs.flatMap((log) => log.split('\n')).filter((text) => text.includes('"status":503'))) {
    const { requestId, err } = JSON.parse(line) as { requestId: string; err?: { code?: string; message: string } }
    lines.set(requestId, err && `${err.code ?? ''} ${err.message.replaceAll(/[\d.]+:\d+/g, '…')}`.trim())
  }
  const told = [...refusals].map(([id, { retryAfter }]) => ({
    cause: lines.get(id),
    isNothingDone: retryAfter !== null,
  }))
  const causes = new Map<string, number>()
  for (const { cause, isNothingDone } of told) {
    const name = `${cause ?? 'unexplained'}, ${isNothingDone ? 'nothing done' : 'outcome unknown'}`
    causes.set(name, (causes.get(name) ?? 0) + 1)
  }
  return { told, causes }
}
