import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { readSample } from '../system/deploy/samples.ts'
import { Supervised } from './ha/supervised.ts'
import { freePort } from './ports.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface Prometheus {
  /** The alerts that have been firing since the start. */
  fired(): Promise<ReadonlySet<string>>
  stop(): Promise<void>
}

/** The rules of `deploy`, but that each alert fires as soon as it has been true twice, and rates are those of a minute. */
const hastyRules = (): string =>
  readSample('prometheus/alerts.yml')
    .replaceAll(/^( +for: ).*$/gm, '$11s')
    .replaceAll(/(?<=\brate\([^[]*)\[15m\]/g, '[1m]')

const configOf = (ports: readonly number[]): string => `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: postern
    static_configs: [{ targets: [${ports.map((port) => `'127.0.0.1:${port}'`).join(', ')}] }]
`

/** Debian's Prometheus with the alerts of `deploy`. It watches the services whose metrics are at these ports. */
export async function startPrometheus(ports: readonly number[]): Promise<Prometheus> {
  const folder = temporaryFolder('prometheus')
  const address = `127.0.0.1:${await freePort()}`
  writeFileSync(join(folder, 'alerts.yml'), hastyRules())
  writeFileSync(join(folder, 'prometheus.yml'), configOf(ports))
  const places = { 'config.file': `${folder}/prometheus.yml`, 'storage.tsdb.path': `${folder}/data` }
  const flags = Object.entries({ ...places, 'web.listen-address': address, 'log.level': 'warn' })
  const command = ['prometheus', ...flags.map(([name, value]) => `--${name}=${value}`)]
  const program = new Supervised({ command, log: join(folder, 'log') })
  const query = async (text: string): Promise<Found> => {
    const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(text)}`)
    return ((await answer.json()) as { readonly data: { readonly result: Found } }).data.result
  }
  // Before it has looked once, Prometheus sees nobody.
  await vi.waitFor(async () => requireAllSeen(await query('up == 1'), await query(firing), ports.length), {
    timeout: 60_000,
    interval: 100,
  })
  const since = Date.now()
  return {
    fired: async () => {
      const seconds = Math.ceil((Date.now() - since) / 1000)
      return new Set((await query(`max_over_time(${firing}[${seconds}s])`)).map(({ metric }) => metric.alertname ?? ''))
    },
    stop: () => program.stop(),
  }
}

const firing = 'ALERTS{alertstate="firing"}'

type Found = readonly { readonly metric: Readonly<Record<string, string>> }[]

function requireAllSeen(up: Found, alerts: Found, count: number): void {
  if (up.length < count || alerts.some(({ metric }) => metric.alertname === 'PosternAllDown'))
    throw new Error('Prometheus has not seen all services')
}
