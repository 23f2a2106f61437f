import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchOver } from '../running.ts'

/** A program to be kept running, and the file for what it writes. */
export interface Program {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly log: string
}

/** A program that is started again a second after it ends, as systemd does with `Restart=always`. */
export class Supervised {
  readonly #program: Program
  #child: ChildProcess
  /** Held: it stays down. Over: for ever. */
  #state: 'kept' | 'held' | 'over' = 'kept'

  constructor(program: Program) {
    this.#program = program
    this.#child = this.#start()
  }

  /** Of the process that runs now, or ran last. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** All that it wrote so far. */
  get output(): string {
    return readFileSync(this.#program.log, 'utf8')
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** It is not started again before `release`. */
  hold(): void {
    if (this.#state === 'kept') this.#state = 'held'
  }

  release(): void {
    if (this.#state !== 'held') return
    this.#state = 'kept'
    if (!this.isRunning) this.#child = this.#start()
  }

  /** Ends it by a signal and, if it has not left after ten seconds, by force. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#state = 'over'
    if (!this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGCONT')
    this.#child.kill(signal)
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(late)
  }

  #start(): ChildProcess {
    const { command, env, cwd, log } = this.#program
    const [name = '', ...args] = command
    const file = openSync(log, 'a')
    const child = spawn(name, args, { env: { PATH: process.env.PATH, ...env }, cwd, stdio: ['ignore', file, file] })
    closeSync(file)
    watchOver(child)
    child.once('exit', () => void this.#restart(child))
    return child
  }

  async #restart(ended: ChildProcess): Promise<void> {
    await sleep(1000)
    if (this.#state === 'kept' && this.#child === ended) this.#child = this.#start()
  }
}
