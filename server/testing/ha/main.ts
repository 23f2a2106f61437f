import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from './cluster.ts'

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Runs the cluster of `deploy/ha` on this machine until Ctrl-C, and removes it then. */
async function main(): Promise<void> {
  // From the beginning, so that an interrupted start leaves nothing behind.
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  const folder = mkdtempSync(join(tmpdir(), 'postern-ha-'))
  say(`Starting three PostgreSQL with Patroni and etcd, PgBouncer, HAProxy and three services in ${folder} …`)
  try {
    const cluster = await startCluster({ folder })
    say(`Ready at ${cluster.url}
  Use it:              POSTERN_URL=${cluster.url} npx postern sign-up --email you@example.com --name You
  The database:        psql ${cluster.databaseUrl}
  Who is the primary:  patronictl -c ${join(folder, 'pg1', 'patroni.yml')} list
  Logs:                ${join(folder, 'log')}
Ctrl-C stops it and removes its data.`)
    await interrupted
    say('Stopping …')
    await cluster.stop()
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

await main()
