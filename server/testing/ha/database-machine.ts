import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Network } from './network.ts'
import { asPostgres, type Place } from './place.ts'
import { Supervised } from './supervised.ts'

/** One of the three: PostgreSQL under Patroni, and a member of etcd. */
export interface DatabaseMachine {
  readonly number: number
  readonly name: string
  readonly etcd: Supervised
  readonly patroni: Supervised
  /** What Patroni tells of all machines; null when it does not answer. */
  members(): Promise<readonly Member[] | null>
  /** The processes of PostgreSQL, its first one first. Empty when it does not run. */
  postgresPids(): readonly number[]
  /** Sends a signal to PostgreSQL and Patroni, to each of their processes. */
  signal(signal: NodeJS.Signals): void
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
  readonly lag?: number | 'unknown'
}

export function startMachine(number: number, network: Network, { machines, values, log }: Place): DatabaseMachine {
  const [name, folder = ''] = [`pg${number + 1}`, machines[number]]
  const start = (program: string, file: string) =>
    new Supervised({
      command: [...network.prefix(number), ...asPostgres(program, ...file.split(' '))],
      cwd: folder,
      env: { HOME: folder, LANG: 'C.UTF-8' },
      log: log(`${name}-${program.split('/').at(-1)}`),
    })
  const etcd = start('etcd', `--config-file ${join(folder, 'etcd.yml')}`)
  const patroni = start('patroni', join(folder, 'patroni.yml'))
  const postgresPids = () => processesBelow(join(folder, 'postgres', 'postmaster.pid'))
  return {
    number,
    name,
    etcd,
    patroni,
    members: () => membersAt(`http://${network.hosts[number]}:${values['PATRONI_PORT']}/cluster`),
    postgresPids,
    signal: (signal) => {
      if (patroni.isRunning) patroni.signal(signal)
      for (const pid of postgresPids()) send(pid, signal)
    },
  }
}

async function membersAt(url: string): Promise<readonly Member[] | null> {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(2000) })
    return ((await reply.json()) as { members: Member[] }).members
  } catch {
    return null
  }
}

/** PostgreSQL's processes, its first one first. */
export function processesBelow(pidFile: string): number[] {
  if (!existsSync(pidFile)) return []
  const postmaster = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  try {
    // A stale file may name a process of somebody else by now.
    if (!readFileSync(`/proc/${postmaster}/comm`, 'utf8').startsWith('postgres')) return []
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    return [postmaster, ...children.trim().split(' ').filter(Boolean).map(Number)]
  } catch {
    return []
  }
}

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended since.
  }
}
