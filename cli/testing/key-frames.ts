import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectForMigration, type Sql } from '../../server/db/connect.ts'
import { freePort } from '../../server/testing/ports.ts'
import { fillMany, joinMany } from './many-rows.ts'
import { type Pty, startPty } from './pty.ts'
import { keyTimes, type Stroke } from './stroke-times.ts'

const bin = fileURLToPath(new URL('../../bin/postern.js', import.meta.url))
const [members = 5000, events = 1_000_000, rounds = 15] = process.argv.slice(2).map(Number)
const sizes = [
  [80, 24],
  [200, 50],
] as const

type Env = Readonly<Record<string, string>>

const [esc, pageDown] = ['\u001b', '\u001b[6~']
const moves: readonly Stroke[] = [
  { name: 'move', keys: 'j' },
  { name: 'a page', keys: pageDown },
  { name: 'the end', keys: 'G', back: 'g' },
]
const filter: readonly Stroke[] = [
  { name: 'type a filter', before: '/', keys: 'm', back: `${esc}` },
  { name: 'type more of it', before: '/man', keys: 'y', back: `${esc}` },
]
const ofMembers: readonly Stroke[] = [
  ...moves,
  ...filter,
  { name: 'sort', keys: 's' },
  { name: 'mark all', keys: 'A', back: 'A' },
  { name: 'open one', keys: '\r', back: esc },
  { name: 'the palette', keys: ':', back: esc },
  { name: 'type in the palette', before: ':man', keys: 'y', back: esc },
  { name: 'choose in a form about all', before: 'gA r', keys: ' ', back: `${esc}${esc}` },
]
const ofTrail: readonly Stroke[] = [
  ...moves,
  { name: 'open one', keys: '\r', back: esc },
  { name: 'the palette', keys: ':', back: esc },
]

/**
 * Prints how long a key takes until its frame is whole, in lists that are long, and the most memory that the program
 * had: `npm run bench:keys -- 5000 1000000 15` for members, events and rounds.
 */
async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-keys-'))
  // As root the database runs as another user, who has to get through.
  chmodSync(folder, 0o711)
  const port = String(await freePort())
  const data = join(folder, 'data')
  const env = { PATH: process.env.PATH ?? '', HOME: folder, POSTERN_URL: `http://localhost:${port}` }
  const own = { DATA_DIR: data, PORT: port, LOG_LEVEL: 'error', RATE_LIMIT: 'off' }
  const service = spawn(process.execPath, [bin, 'serve'], { env: { ...env, ...own }, stdio: 'inherit' })
  try {
    execFileSync(process.execPath, [bin, 'wait', '--timeout', '60s'], { env })
    await fill(data, env)
    for (const [columns, rows] of sizes) await measure(env, columns, rows)
  } finally {
    service.kill('SIGTERM')
    await once(service, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function fill(data: string, env: Env): Promise<void> {
  const account = ['--email', 'ada@example.com', '--name', 'Ada', '--password-file', '-']
  execFileSync(process.execPath, [bin, 'sign-up', ...account], { env, input: 'correct horse battery staple' })
  execFileSync(process.execPath, [bin, 'org', 'create', 'Acme', '--slug', 'acme'], { env })
  const sql = connectForMigration({ host: join(data, 'run'), port: 5432, database: 'postern', user: 'postern' })
  await sql`update users set roles = '{admin}'`
  const writing = sql as unknown as Sql
  await fillMany(writing, members, events)
  await joinMany(writing)
  await sql`analyze`
  await sql.end()
}

async function measure(env: Env, columns: number, rows: number): Promise<void> {
  const argv = ['-c', '"$0" "$@"; true', process.execPath, bin, 'tui', '--screen', 'orgs']
  const terminal = startPty('/bin/sh', argv, { columns, rows, env })
  process.stdout.write(`\n${columns}×${rows}: wait (median and worst of ${rounds}) and processor (median), in ms\n`)
  await terminal.shows('Acme')
  terminal.type('\r')
  await terminal.shows('[Members')
  await print(terminal, 'members', ofMembers)
  terminal.type('6')
  await terminal.shows('users')
  terminal.type('t')
  await terminal.shows('events')
  await print(terminal, 'events', ofTrail)
  const [pid = 0] = terminal.children()
  process.stdout.write(`the most memory: ${peakOf(pid).toFixed(0)} MB\n`)
  terminal.close()
}

async function print(terminal: Pty, list: string, strokes: readonly Stroke[]): Promise<void> {
  for (const stroke of strokes) {
    const times = await keyTimes(terminal, stroke, rounds)
    const waited = times.map((time) => time.waited).toSorted((one, other) => one - other)
    const worked = times.map((time) => time.worked).toSorted((one, other) => one - other)
    const shown = [median(waited), waited.at(-1) ?? 0, median(worked)].map((time) => time.toFixed(0))
    process.stdout.write(`${list}, ${stroke.name}: ${shown.join(', ')}\n`)
  }
}

const median = (numbers: readonly number[]): number => numbers[numbers.length >> 1] ?? 0

/** The most memory that a process ever had, in MB: what the system wrote down. */
function peakOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

await main()
