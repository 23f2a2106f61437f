import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { createProcessMetrics, type MetricValues, remainsOf, textOfAll } from '../metrics/create-metrics.ts'
import { serveScrapes } from '../process/metrics.ts'
import type { WorkerProcess } from './worker-process.ts'

/** Milliseconds that a scrape waits for a worker that is busy. Then its last values count. */
const answerTime = 2000

/** The metrics of all workers, living and ended, and of the primary, as one. */
export class WorkerMetrics {
  readonly #own = createProcessMetrics()
  readonly #running: () => readonly WorkerProcess[]
  #ended: Promise<MetricValues> = Promise.resolve([])

  constructor(running: () => readonly WorkerProcess[]) {
    this.#running = running
  }

  /** Serves them at METRICS_HOST and METRICS_PORT. Returns a function that stops it. */
  async serve(config: Config, log: Logger): Promise<() => Promise<void>> {
    const { contentType } = this.#own
    const closeServer = await serveScrapes({ config, log }, { contentType, text: () => this.#text() })
    return () => {
      this.#own.stop()
      return closeServer()
    }
  }

  /** Keeps what an ended worker has counted. */
  keep({ metrics }: WorkerProcess): void {
    this.#ended = this.#ended.then((before) => remainsOf([before, metrics]))
  }

  async #text(): Promise<string> {
    const running = this.#running()
    await Promise.all(running.map((worker) => worker.readMetrics(answerTime)))
    const living = running.map(({ metrics }) => metrics)
    return textOfAll([await this.#own.values(), ...living, await this.#ended])
  }
}
