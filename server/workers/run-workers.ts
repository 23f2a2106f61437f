import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { Config, Environment, KeptSettings } from '../config.ts'
import type { HashQueueLimits } from '../crypto/hash-queue.ts'
import { createPrimaryMetrics, type MetricValues, remainsOf, textOfAll } from '../metrics/create-metrics.ts'
import { serveScrapes } from '../process/metrics.ts'
import type { Assignment, Serving, ServingFacts, StopOptions } from './calls.ts'
import { sharedSettingsOf } from './shared-settings.ts'
import { SharedState } from './shared-state.ts'
import { WorkerProcess } from './worker-process.ts'

/** Milliseconds before a worker that died is started again, doubled for each one that did not serve for a minute. */
const firstPause = 100
const longestPause = 30_000
const wellAfter = 60_000
/** Milliseconds beyond the notice in which a worker has to end. Then it is killed. */
const endTime = 20_000
/** Milliseconds for the clients of a replaced worker to use another connection. */
const replacedNotice = 5000

const workerProgram = fileURLToPath(new URL('worker.js', import.meta.url))

/** The flags of Node that workers have too. Not those of a program that was given as a text. */
const flagsOf = (flags: readonly string[]): string[] =>
  flags.some((flag) => /^(-e|-p|-pe|--eval|--print)$/.test(flag)) ? [] : [...flags]

export interface WorkersOptions {
  readonly config: Config
  /** What `config` was made from. */
  readonly settings: KeptSettings
  readonly log: Logger
  /** Where a replacement reads the settings. */
  readonly env: Environment
  readonly cwd: string
  readonly workers: number
  readonly hashing?: HashQueueLimits | undefined
  readonly checkTimeout?: number | undefined
  readonly collectTime?: number | undefined
  /** Ends the start. */
  readonly leaving?: AbortSignal | undefined
  /** Told once all workers serve. */
  readonly onServing: (facts: ServingFacts) => void
}

/** The workers of a service: one port, shared limits, each in a process of its own. */
export class Workers {
  readonly #options: WorkersOptions
  readonly #state: SharedState
  readonly #metrics = new WorkerMetrics()
  /** The workers by place. Empty while one that died is started again. */
  readonly #places: (WorkerProcess | undefined)[]
  readonly #starting = new Set<WorkerProcess>()
  /** The one of these that reads the settings anew. */
  #reading: WorkerProcess | undefined
  readonly #pauses: number[]
  /** As read last by a worker that could serve with them, so that one started again works as the others do. */
  #settings: KeptSettings
  readonly #leaving = new AbortController()
  #isStarted = false
  #stopping: Promise<void> | undefined
  #closeMetrics: (() => Promise<void>) | undefined
  #replacing: Promise<void> | undefined
  /** Asked again, since the settings may have changed after they were read. */
  #isAskedAgain = false

  private constructor(options: WorkersOptions) {
    const { config, settings, workers, hashing, collectTime } = options
    this.#options = options
    this.#settings = settings
    this.#state = new SharedState({ settings: sharedSettingsOf(config), workers, hashing, collectTime })
    this.#places = Array.from({ length: workers })
    this.#pauses = Array.from({ length: workers }, () => firstPause)
  }

  /**
   * Starts all workers.
   *
   * @throws the error of the first one that cannot serve. The others are ended.
   */
  static async start(options: WorkersOptions): Promise<Workers> {
    const { workers: count, cwd, leaving, onServing } = options
    cluster.setupPrimary({ exec: workerProgram, args: [], execArgv: [...flagsOf(process.execArgv), '--no-opt'], cwd })
    const workers = new Workers(options)
    leaving?.addEventListener('abort', () => void workers.stop({ notice: 0 }))
    try {
      await workers.#openMetrics()
      const starts = Array.from({ length: count }, (_, place) => workers.#begin(place, false))
      const [facts] = await Promise.all(starts)
      if (facts) onServing(facts)
      workers.#isStarted = true
      return workers
    } catch (error) {
      await workers.stop({ notice: 0 })
      throw error
    }
  }

  /** Ends all workers, each as `Service.stop` does. Repeated calls stop only once. */
  stop({ notice = 1000 * this.#options.config.STOP_NOTICE }: { readonly notice?: number } = {}): Promise<void> {
    this.#stopping ??= this.#stop(notice)
    return this.#stopping
  }

  async #stop(notice: number): Promise<void> {
    this.#leaving.abort()
    await Promise.all([...this.#starting].map((worker) => this.#endStarting(worker)))
    await this.#replacing
    await Promise.all(this.#running.map((worker) => end(worker, { notice, isReplaced: false })))
    await this.#closeMetrics?.()
    this.#options.log.info('stopped')
  }

  /** Before anybody serves, it may be the one that starts the embedded database. */
  async #endStarting(worker: WorkerProcess): Promise<void> {
    if (this.#isStarted) worker.kill()
    else await end(worker, { notice: 0, isReplaced: false })
  }

  /**
   * Replaces one worker after the other. The first new one reads the settings again, for all. Asked meanwhile, it begins
   * anew then.
   */
  replaceAll(): void {
    this.#isAskedAgain = this.#replacing !== undefined
    // It read the settings of before, and may wait for a database that will never be where those say.
    if (this.#reading) void end(this.#reading, { notice: 0, isReplaced: true })
    this.#replacing ??= this.#replaceEach().finally(() => {
      this.#replacing = undefined
      if (this.#isAskedAgain && !this.#leaving.signal.aborted) this.replaceAll()
    })
  }

  get #running(): readonly WorkerProcess[] {
    return this.#places.filter((worker) => worker !== undefined)
  }

  async #openMetrics(): Promise<void> {
    const { config, log } = this.#options
    if (config.METRICS) this.#closeMetrics = await this.#metrics.serve(config, log)
  }

  async #replaceEach(): Promise<void> {
    const { log } = this.#options
    for (const place of this.#places.keys()) {
      if (this.#leaving.signal.aborted) return
      try {
        await this.#replace(place)
      } catch (err) {
        const isOutdated = place === 0 && this.#isAskedAgain
        if (!isOutdated) log.error({ err }, 'a new worker cannot serve, so the others are not replaced')
        return
      }
    }
    log.info({ workers: this.#places.length }, 'all workers were replaced')
  }

  /** Also replaces one that died and was started again meanwhile, because it may have the settings of before. */
  async #replace(place: number): Promise<void> {
    const settings = place === 0 ? undefined : this.#settings
    const started = await this.#open(place, { isLate: true, settings })
    const isEnding = this.#leaving.signal.aborted || (place === 0 && this.#isAskedAgain)
    if (isEnding) return end(started.worker, { notice: 0, isReplaced: true })
    const old = this.#places[place]
    this.#settings = started.told.settings
    this.#take(place, started)
    if (old) await end(old, { notice: replacedNotice, isReplaced: true })
  }

  /**
   * Starts a worker with the settings of the others. It takes the place once it serves, unless another has it by then.
   */
  async #begin(place: number, isLate: boolean): Promise<ServingFacts> {
    const started = await this.#open(place, { isLate, settings: this.#settings })
    const isTaken = this.#places[place] !== undefined
    if (isTaken || this.#leaving.signal.aborted) await end(started.worker, { notice: 0, isReplaced: true })
    else this.#take(place, started)
    return started.told.facts
  }

  async #open(place: number, beginning: Beginning): Promise<Started> {
    const { cwd } = this.#options
    // The system's own words are that node is missing.
    if (!existsSync(cwd)) throw new Error(`no worker can start: the folder of the service, ${cwd}, is gone`)
    const worker = new WorkerProcess(this.#state, () => this.#assignmentOf(place, beginning))
    this.#starting.add(worker)
    if (beginning.settings === undefined) this.#reading = worker
    const told = await worker.serving.finally(() => {
      this.#starting.delete(worker)
      if (this.#reading === worker) this.#reading = undefined
    })
    this.#metrics.include(worker)
    return { worker, told }
  }

  #take(place: number, { worker, told }: Started): void {
    const since = performance.now()
    this.#state.adopt(told.shared)
    this.#places[place] = worker
    void worker.exited.then((how) => this.#onExit(place, worker, { how, since }))
  }

  #assignmentOf(place: number, beginning: Beginning): Assignment {
    const { env, cwd, workers, hashing, checkTimeout } = this.#options
    return {
      env,
      cwd,
      workers,
      isFirst: place === 0,
      ...beginning,
      hashing,
      checkTimeout,
      acts: this.#state.acts.counts(),
      revoked: this.#state.revocations.all(),
    }
  }

  async #onExit(place: number, worker: WorkerProcess, { how, since }: Ending): Promise<void> {
    if (this.#places[place] !== worker || this.#leaving.signal.aborted) return
    this.#places[place] = undefined
    this.#options.log.error({ pid: worker.pid, exit: how }, 'a worker died and is started again')
    this.#metrics.workerDied()
    if (performance.now() - since > wellAfter) this.#pauses[place] = firstPause
    await this.#startAgain(place)
  }

  async #startAgain(place: number): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted && this.#places[place] === undefined) {
      const pause = this.#pauses[place] ?? firstPause
      this.#pauses[place] = Math.min(pause * 2, longestPause)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      await this.#begin(place, true).catch((err: unknown) => {
        this.#options.log.error({ err }, 'a worker cannot serve and is started again')
        this.#metrics.workerDied()
      })
    }
  }
}

type Beginning = Pick<Assignment, 'isLate' | 'settings'>

/** A worker that serves. */
interface Started {
  readonly worker: WorkerProcess
  readonly told: Serving
}

interface Ending {
  readonly how: number | string
  /** When it began to serve. */
  readonly since: number
}

/** Ends a worker, by force if it does not end in time. */
async function end(worker: WorkerProcess, options: StopOptions): Promise<void> {
  worker.channel.tell('stop', options)
  const timer = setTimeout(() => worker.kill(), options.notice + endTime)
  await worker.exited.finally(() => clearTimeout(timer))
}

/** Milliseconds that a scrape waits for a worker that is busy. Then its last values count. */
const answerTime = 2000

/** The metrics of all workers, living and ended, and of the primary, as one. */
class WorkerMetrics {
  readonly #own = createPrimaryMetrics()
  readonly workerDied = this.#own.workerDied
  readonly #living = new Set<WorkerProcess>()
  #ended: Promise<MetricValues> = Promise.resolve([])

  /** Serves them at METRICS_HOST and METRICS_PORT. Returns a function that stops it. */
  async serve(config: Config, log: Logger): Promise<() => Promise<void>> {
    const { contentType } = this.#own
    const closeServer = await serveScrapes({ config, log }, { contentType, text: () => this.#text() })
    return () => {
      this.#own.stop()
      return closeServer()
    }
  }

  /** Has a worker as living until it ends, even while another has its place, and then keeps what it has counted. */
  include(worker: WorkerProcess): void {
    this.#living.add(worker)
    void worker.exited.then(() => {
      this.#living.delete(worker)
      this.#ended = this.#ended.then((before) => remainsOf([before, worker.metrics]))
    })
  }

  async #text(): Promise<string> {
    // At one moment, so that a worker that ends meanwhile is in one of both, and only there.
    const [living, ended] = [[...this.#living], this.#ended]
    await Promise.all(living.map((worker) => worker.readMetrics(answerTime)))
    const told = living.map(({ metrics }) => metrics)
    return textOfAll([await this.#own.values(), ...told, await ended])
  }
}
