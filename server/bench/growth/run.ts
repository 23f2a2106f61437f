// Measures every call at two sizes, side by side: `npm run bench:growth`. Loopback only; ends by itself.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { programOptions } from '../program-options.ts'
import { describeMachine, writeResult } from '../results.ts'
import { type MeasuredCall, measuredCalls, type Request, requestsOf } from './calls.ts'
import { cpuOf } from './cpu.ts'
import { fillExpired } from './fill.ts'
import { makeWorld, startPostgres, type World } from './world.ts'

const usage = `Usage: npm run bench:growth -- [--small 10000] [--large 1000000] [--rounds 5] [--call get-session] [--print]

Fills two databases (users, twice as many sessions, a tenth as many organizations, ten times as many events), starts the
built service on each, and compares what every call takes, and what sweeping takes of the large one. Writes
server/bench/results/growth.json, unless --print or --call. --call measures one call only, or --call sweep.

Example: npm run bench:growth -- --large 100000 --rounds 3 --print
`

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const given = programOptions(usage, () => {
  const { values } = parseArgs({
    options: { small: text, large: text, rounds: text, call: text, print: flag, help: flag },
  })
  return { ...values, isHelp: values.help ?? false }
})
const rounds = Number(given.rounds ?? 5)
const sizes = [Number(given.small ?? 10_000), Number(given.large ?? 1_000_000)] as const
const secret = randomBytes(32).toString('base64url')
const print = (line: string) => void process.stdout.write(`${line}\n`)

interface Waits {
  readonly p50: number
  readonly p99: number
}

/** Milliseconds of a request. */
async function waitOf(pool: Pool, request: Request): Promise<number> {
  const at = performance.now()
  const { statusCode, body } = await pool.request(request)
  const answer = await body.text()
  if (statusCode !== 200) throw new Error(`${request.path} answered ${statusCode}: ${answer.slice(0, 300)}`)
  return performance.now() - at
}

/** The waits at each service: asked in turn, so that what else the machine does strikes both alike. */
async function waitsOf(
  asked: readonly { readonly origin: string; readonly requests: readonly Request[] }[],
): Promise<readonly number[][]> {
  const pools = asked.map(({ origin }) => new Pool(origin, { connections: 1, pipelining: 1 }))
  const waits = asked.map((): number[] => [])
  for (let turn = 0; turn < asked[0]!.requests.length; turn += 1)
    for (const [index, { requests }] of asked.entries())
      waits[index]!.push(await waitOf(pools[index]!, requests[turn]!))
  await Promise.all(pools.map((pool) => pool.close()))
  return waits
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

function summaryOf(waits: readonly number[]): Waits {
  const sorted = waits.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

const askedOf = (world: World, call: MeasuredCall) => ({
  origin: world.origin,
  requests: requestsOf(call, world.size, secret, 'http://localhost:4100'),
})

/** The first round warms up. */
async function compare(worlds: readonly World[], choose: (world: World) => MeasuredCall) {
  const all = worlds.map((): Waits[] => [])
  const ask = () => waitsOf(worlds.map((world) => askedOf(world, choose(world))))
  await ask()
  const before = await Promise.all(worlds.map(cpuOf))
  for (let round = 0; round < rounds; round += 1)
    for (const [index, waits] of (await ask()).entries()) all[index]!.push(summaryOf(waits))
  const after = await Promise.all(worlds.map(cpuOf))
  const times = rounds * askedOf(worlds[0]!, choose(worlds[0]!)).requests.length
  const [small, large] = all.map((of, index) => ({
    cpu: (after[index]! - before[index]!) / times,
    p50: middle(of.map(({ p50 }) => p50)),
    p99: middle(of.map(({ p99 }) => p99)),
  }))
  const ratio = (figure: 'cpu' | 'p50' | 'p99') => large![figure] / small![figure]
  return { small: small!, large: large!, ratio: { cpu: ratio('cpu'), p50: ratio('p50'), p99: ratio('p99') } }
}

/** The part of the time in which statements run, while nobody asks for anything. */
async function busyShare({ sql }: World, seconds: number): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_clear_snapshot()`
    const [row] = await sql<
      { busy: number }[]
    >`select active_time as busy from pg_stat_database where datname = current_database()`
    return row!.busy
  }
  const before = await read()
  await sleep(seconds * 1000)
  return ((await read()) - before) / (seconds * 1000)
}

/** What sweeping takes of the database, and what it does to a call meanwhile. */
async function measureSweep(world: World) {
  const { sql, size } = world
  const call = { ...measuredCalls(size)[0]!, times: 5000 }
  const ask = async () => summaryOf((await waitsOf([askedOf(world, call)]))[0]!)
  const before = await ask()
  await fillExpired(sql, size.users, size.users)
  const left = async () => {
    const [row] = await sql<
      { rows: number }[]
    >`select count(*)::integer as rows from verifications where expires_at < now()`
    return row!.rows
  }
  const all = await left()
  for (let rows = all; rows === all; rows = await left()) await sleep(1000)
  // Some rounds of sweeping and waiting.
  const share = await busyShare(world, 240)
  const meanwhile = await ask()
  if ((await left()) === 0) print('The sweep was over before it was measured: the share is too low.')
  return { expired: size.users, share, before, meanwhile }
}

const ms = (value: number) => value.toFixed(2).padStart(8)
const server = await startPostgres()
const worlds: World[] = []
const stopAll = async () => {
  for (const world of worlds.splice(0)) await world.stop()
  await server.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stopAll().then(() => process.exit(130)))
try {
  await server.hasten(true)
  for (const users of sizes) {
    const at = performance.now()
    worlds.push(await makeWorld(server, { users, largest: Math.min(users, 10_000) }, secret))
    print(`filled for ${users} users in ${((performance.now() - at) / 1000).toFixed(0)} s`)
  }
  await server.hasten(false)
  const calls: Record<string, Awaited<ReturnType<typeof compare>>> = {}
  print(`${'milliseconds: small, large, ratio'.padEnd(56)}CPU                    p50                    p99`)
  for (const [index, { name }] of measuredCalls(worlds[0]!.size).entries()) {
    if (given.call !== undefined && given.call !== name) continue
    const row = await compare(worlds, ({ size }) => measuredCalls(size)[index]!)
    calls[name] = row
    const { small, large, ratio } = row
    const figures = (['cpu', 'p50', 'p99'] as const).map(
      (of) => `${ms(small[of])}${ms(large[of])} ${ratio[of].toFixed(2)}`,
    )
    print(`${name.padEnd(54)}${figures.join('  ')}${ratio.p50 > 1.2 || ratio.p99 > 1.2 ? ' <' : ''}`)
  }
  const sweep = given.call === undefined || given.call === 'sweep' ? await measureSweep(worlds[1]!) : null
  if (sweep)
    print(
      `sweeping ${sweep.expired} expired rows takes ${(sweep.share * 100).toFixed(1)} % of one connection; get-session p50 ${ms(sweep.before.p50)} →${ms(sweep.meanwhile.p50)}, p99 ${ms(sweep.before.p99)} →${ms(sweep.meanwhile.p99)} ms`,
    )
  const [version] = await worlds[0]!.sql<{ text: string }[]>`select current_setting('server_version') as text`
  const surroundings = describeMachine(version!.text)
  if (!given.print && given.call === undefined)
    writeResult('growth', { scenario: 'growth', surroundings, sizes, rounds, calls, sweep })
} finally {
  await stopAll()
}
