import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { slack } from '../slack.ts'
import { type DatabaseMachine, startMachine } from './database-machine.ts'
import { type Network, openNetwork } from './network.ts'
import { asPostgres, type Place, postgresFolder, preparePlace } from './place.ts'
import { Supervised } from './supervised.ts'

const ownProgram = fileURLToPath(new URL('../../../bin/postern.js', import.meta.url))

/** The whole of `deploy/ha` on this machine. */
export interface Cluster {
  readonly network: Network
  /** Of the service behind HAProxy. */
  readonly url: string
  /** Of the database, through PgBouncer. */
  readonly databaseUrl: string
  readonly machines: readonly DatabaseMachine[]
  readonly services: readonly Supervised[]
  /** Where HAProxy is administered. */
  readonly socket: string
  /** Resolves when there is a primary, a synchronous standby and a third machine that follows. Returns the primary. */
  untilWhole(): Promise<DatabaseMachine>
  stop(): Promise<void>
}

export interface ClusterOptions {
  /** Empty, and of this cluster alone. */
  readonly folder: string
  /** More settings of the services. */
  readonly settings?: Readonly<Record<string, string>>
  /** The port of the service; the three after it are those of its instances. */
  readonly port?: number
}

const needed: Readonly<Record<string, string>> = {
  'postgresql-15': `${postgresFolder}/postgres`,
  patroni: '/usr/bin/patroni',
  'python3-etcd': '/usr/lib/python3/dist-packages/etcd/__init__.py',
  'python3-psycopg2': '/usr/lib/python3/dist-packages/psycopg2/__init__.py',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
  pgbouncer: '/usr/sbin/pgbouncer',
}

function requirePackages(): void {
  const missing = Object.keys(needed).filter((name) => !existsSync(needed[name] ?? ''))
  if (missing.length === 0) return
  throw new Error(`Debian packages are missing: apt-get install --no-install-recommends ${missing.join(' ')}`)
}

/** Starts everything, and resolves when the service is ready behind HAProxy. */
export async function startCluster({ folder, settings = {}, port = 4100 }: ClusterOptions): Promise<Cluster> {
  requirePackages()
  const network = openNetwork()
  const place = preparePlace(folder, network, port)
  const machines = network.hosts.map((_host, number) => startMachine(number, network, place))
  const front: Supervised[] = []
  // Whoever is interrupted leaves neither a PostgreSQL, which is no child of ours, nor a network behind.
  const abandon = () => {
    for (const machine of machines) machine.signal('SIGKILL')
    network.close()
  }
  process.once('exit', abandon)
  const stop = async () => {
    await stopAll(machines, front)
    process.off('exit', abandon)
    network.close()
  }
  try {
    await until('a primary with two standbys', () => wholeWith(machines))
    front.push(startPool(place), startBalancer(place))
    const services = [1, 2, 3].map((number) => startOwn(place, number, settings))
    front.push(...services)
    const url = `http://${place.values['WEB']}`
    await until('the service behind HAProxy', () => isReady(url))
    return {
      network,
      url,
      databaseUrl: databaseOf(place),
      machines,
      services,
      socket: join(place.front, 'haproxy.sock'),
      untilWhole: () => until('a primary with two standbys', () => wholeWith(machines)),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const startPool = ({ front, log }: Place) =>
  new Supervised({ command: asPostgres('/usr/sbin/pgbouncer', join(front, 'pgbouncer.ini')), log: log('pgbouncer') })

const startBalancer = ({ front, log }: Place) =>
  new Supervised({
    command: asPostgres('/usr/sbin/haproxy', '-db', '-f', join(front, 'haproxy.cfg')),
    log: log('haproxy'),
  })

const databaseOf = ({ values }: Place) =>
  `postgres://postern:${values['SERVICE_PASSWORD']}@${values['POOL_HOST']}:${values['POOL_PORT']}/postern`

function startOwn(place: Place, number: number, settings: Readonly<Record<string, string>>): Supervised {
  const { values, log, front } = place
  const { hostname, port } = new URL(`http://${values[`SERVICE_${number}`]}`)
  const env = {
    BASE_URL: `http://${values['WEB']}`,
    HOST: hostname,
    PORT: port,
    TRUSTED_PROXIES: hostname,
    DATABASE_URL: databaseOf(place),
    DATABASE_PREPARE: 'off',
    SECRET: values['SECRET'] ?? '',
    LOG_FORMAT: 'json',
    ...settings,
  }
  return new Supervised({ command: [process.execPath, ownProgram, 'serve'], cwd: front, env, log: log(`s${number}`) })
}

async function stopAll(machines: readonly DatabaseMachine[], front: readonly Supervised[]): Promise<void> {
  await Promise.all(front.map((program) => program.stop('SIGKILL')))
  // Patroni before its PostgreSQL, which it would start again.
  await Promise.all(machines.map(({ patroni }) => patroni.stop('SIGKILL')))
  for (const machine of machines) machine.signal('SIGKILL')
  await Promise.all(machines.map(({ etcd }) => etcd.stop('SIGKILL')))
  await until('the end of PostgreSQL', async () => machines.every((machine) => machine.postgresPids().length === 0))
}

/** The primary, when the other two follow it and one of them does so synchronously. */
async function wholeWith(machines: readonly DatabaseMachine[]): Promise<DatabaseMachine | null> {
  const told = await Promise.all(machines.map((machine) => machine.members()))
  const leaders = told.map((members) => {
    const leader = members?.find(({ role }) => role === 'leader')
    const isSound = members?.length === 3 && members.every(({ state }) => state === 'running' || state === 'streaming')
    const follow = members?.every(({ timeline }) => timeline === leader?.timeline)
    return isSound && follow && members.some(({ role }) => role === 'sync_standby') ? leader?.name : undefined
  })
  return machines.find(({ name }) => leaders.every((leader) => leader === name)) ?? null
}

const isReady = async (url: string): Promise<boolean> => {
  const reply = await fetch(`${url}/api/auth/ready`, { signal: AbortSignal.timeout(2000) }).catch(() => null)
  return reply?.status === 200
}

/** Asks until the answer is neither null nor false, for minutes at the most. */
export async function until<T>(what: string, ask: () => Promise<T | null | false>, seconds = 120): Promise<T> {
  for (const end = Date.now() + seconds * 1000 * slack; Date.now() < end; await sleep(100)) {
    const answer = await ask()
    if (answer !== null && answer !== false) return answer
  }
  throw new Error(`Waited in vain for ${what}`)
}
