import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Network } from './network.ts'

const deployFolder = fileURLToPath(new URL('../../../deploy/ha/', import.meta.url))
export const postgresFolder = '/usr/lib/postgresql/15/bin'

/** Those of the files that Patroni runs. */
const programs = ['create-database', 'may-promote']

type Values = Readonly<Record<string, string>>

/** The folders of a cluster, with the files of `deploy/ha` filled in. */
export interface Place {
  /** Of HAProxy and PgBouncer. */
  readonly front: string
  /** Of each database machine. */
  readonly machines: readonly string[]
  readonly values: Values
  readonly log: (name: string) => string
}

/** PostgreSQL and PgBouncer refuse root, so root runs everything as the user `postgres`. */
const isRoot = process.getuid?.() === 0
const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

const nameOf = (flag: '-un' | '-gn') => (isRoot ? 'postgres' : execFileSync('id', [flag], { encoding: 'utf8' }).trim())

export const asPostgres = (...command: readonly string[]): string[] =>
  isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command] : [...command]

export function give(path: string, mode: number): void {
  chmodSync(path, mode)
  if (isRoot) chownSync(path, idOf('-u'), idOf('-g'))
}

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  give(path, 0o700)
  return path
}

const secret = () => randomBytes(24).toString('hex')

const valuesOf = ({ front, hosts, range }: Network, port: number): Values => ({
  HOST_1: hosts[0],
  HOST_2: hosts[1],
  HOST_3: hosts[2],
  NETWORK: range,
  POSTGRES_PORT: '5432',
  PATRONI_PORT: '8008',
  ETCD_PORT: '2379',
  ETCD_PEER_PORT: '2380',
  PRIMARY_HOST: front,
  PRIMARY_PORT: '5000',
  POOL_HOST: front,
  POOL_PORT: '6432',
  WEB: `${front}:${port}`,
  SERVICE_1: `${front}:${port + 1}`,
  SERVICE_2: `${front}:${port + 2}`,
  SERVICE_3: `${front}:${port + 3}`,
  BIN: postgresFolder,
  // Only root can become another user.
  HAPROXY_USER: nameOf('-un'),
  HAPROXY_GROUP: nameOf('-gn'),
  SUPERUSER_PASSWORD: secret(),
  REPLICATION_PASSWORD: secret(),
  SERVICE_PASSWORD: secret(),
  SECRET: secret(),
})

/** Fills in each file for each machine, as its README tells an operator to. */
export function preparePlace(folder: string, network: Network, port: number): Place {
  // Other users have to get through to what is theirs.
  chmodSync(folder, 0o711)
  const log = makeFolder(join(folder, 'log'))
  const values = valuesOf(network, port)
  const machines = network.hosts.map((host, number) => {
    const data = makeFolder(join(folder, `pg${number + 1}`))
    const own = { ...values, NODE: `pg${number + 1}`, HOST: host, DATA: data, PATRONI_CONFIG: data }
    fill(data, own, ['etcd.yml', 'patroni.yml', ...programs])
    return data
  })
  const front = makeFolder(join(folder, 'front'))
  fill(front, { ...values, POOL_CONFIG: front, RUN: front }, ['pgbouncer.ini', 'userlist.txt', 'haproxy.cfg'])
  return { front, machines, values, log: (name) => join(log, `${name}.log`) }
}

function fill(folder: string, values: Values, files: readonly string[]): void {
  const given = join(folder, 'values.env')
  writeFileSync(
    given,
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
    { mode: 0o600 },
  )
  for (const file of files) {
    const text = execFileSync(join(deployFolder, 'fill'), [given, join(deployFolder, file)])
    writeFileSync(join(folder, file), text)
    give(join(folder, file), programs.includes(file) ? 0o700 : 0o600)
  }
}
