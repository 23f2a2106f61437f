import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, until } from './cluster.ts'
import type { DatabaseMachine } from './database-machine.ts'
import { serviceState, setService } from './haproxy-control.ts'
import type { Workload } from './workload.ts'

/** What happens to the primary. Both return when it is done. */
interface Fault {
  strike(cluster: Cluster, primary: DatabaseMachine): void
  undo(cluster: Cluster, primary: DatabaseMachine): void
}

export const faults = {
  /** The machine dies: PostgreSQL and Patroni with all their processes, and nobody starts them again. */
  killed: {
    strike: (_cluster, machine) => {
      machine.patroni.hold()
      machine.signal('SIGKILL')
    },
    undo: (_cluster, { patroni }) => patroni.release(),
  },
  /** It stands still for longer than its lock lasts, and then goes on as if nothing had happened. */
  frozen: {
    strike: (_cluster, machine) => machine.signal('SIGSTOP'),
    undo: (_cluster, machine) => machine.signal('SIGCONT'),
  },
  /** Nothing gets through to it or from it. */
  cut: {
    strike: ({ network }, { number }) => network.cut(number),
    undo: ({ network }, { number }) => network.heal(number),
  },
} satisfies Record<string, Fault>

/** Milliseconds that the lock of a primary lasts without being renewed: `ttl` of patroni.yml. */
const lockLasts = 5000
const longerThanLock = lockLasts + 2500

/** Strikes the primary, and waits until all is whole again. Returns the milliseconds without an acknowledged write. */
export async function strikePrimary(cluster: Cluster, workload: Workload, fault: keyof typeof faults): Promise<number> {
  const primary = await cluster.untilWhole()
  await untilWriting(workload)
  const moment = performance.now()
  faults[fault].strike(cluster, primary)
  const gap = await untilWriting(workload, moment)
  await sleep(Math.max(0, moment + longerThanLock - performance.now()))
  faults[fault].undo(cluster, primary)
  await cluster.untilWhole()
  return gap
}

/**
 * Cuts off the primary, and heals its network while nobody holds the lock: the Patroni of the new primary stands still.
 * Whoever returns then, and still believes that it is the primary, gets the lock; it lacks what was written meanwhile.
 * The new primary sees that, and gives up its role. Returns whether it came to that: who returns may also be too late.
 */
export async function returnToFreeLock(cluster: Cluster, workload: Workload): Promise<boolean> {
  const primary = await cluster.untilWhole()
  const moment = performance.now()
  faults.cut.strike(cluster, primary)
  await untilWriting(workload, moment)
  const { number, patroni } = await until('the new primary', () => leaderBeside(cluster, primary))
  patroni.signal('SIGSTOP')
  await sleep(lockLasts + 500)
  faults.cut.undo(cluster, primary)
  const lock = `http://${cluster.network.hosts[number]}:2379/v2/keys/service/postern/leader`
  const isTaken = await holdsWithin(3000, lock, primary.name).finally(() => patroni.signal('SIGCONT'))
  await cluster.untilWhole()
  return isTaken
}

async function holdsWithin(milliseconds: number, lock: string, name: string): Promise<boolean> {
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20)) {
    const reply = await fetch(lock, { signal: AbortSignal.timeout(1000) }).catch(() => null)
    if ((await reply?.text())?.includes(`"${name}"`)) return true
  }
  return false
}

async function leaderBeside({ machines }: Cluster, primary: DatabaseMachine): Promise<DatabaseMachine | null> {
  const others = machines.filter((machine) => machine !== primary)
  const told = await Promise.all(others.map((machine) => machine.members()))
  const leaders = told.flatMap((members) => members ?? []).filter(({ role }) => role === 'leader')
  return others.find(({ name }) => leaders.some((leader) => leader.name === name)) ?? null
}

/** Kills a service, and waits until HAProxy has it again. */
export async function killService(cluster: Cluster, workload: Workload, number: number): Promise<number> {
  await untilWriting(workload)
  const moment = performance.now()
  cluster.services[number]?.signal('SIGKILL')
  const gap = await untilWriting(workload, moment)
  await untilUp(cluster, number)
  return gap
}

/** Replaces all services, one after the other, as `deploy/ha/README.md` tells an operator to. */
export async function restartServices(cluster: Cluster): Promise<void> {
  for (const [number, service] of cluster.services.entries()) {
    const server = `s${number + 1}`
    await setService(cluster.socket, server, 'drain')
    await until('the end of its requests', async () => (await serviceState(cluster.socket, server)).requests === 0)
    const { pid } = service
    service.signal('SIGTERM')
    await until('another process', () => Promise.resolve(service.pid !== pid))
    await setService(cluster.socket, server, 'ready')
    await untilUp(cluster, number)
  }
}

const untilUp = ({ socket }: Cluster, number: number) =>
  until(
    `service ${number + 1}`,
    async () => (await serviceState(socket, `s${number + 1}`)).status === 'UP' && isSteady(socket, number),
  )

/** A killed service is still `UP` until HAProxy has looked: it has to be so for longer than that takes. */
async function isSteady(socket: string, number: number): Promise<boolean> {
  await sleep(1500)
  return (await serviceState(socket, `s${number + 1}`)).status === 'UP'
}

const untilWriting = (workload: Workload, moment = performance.now()): Promise<number> =>
  until('an acknowledged write', () => Promise.resolve(workload.writeAfter(moment)))
