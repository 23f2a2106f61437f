import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'

/** Where the machines of a cluster are. */
export interface Network {
  /** `namespaces`: each database machine has a network of its own, which can be cut. `loopback`: they share ours. */
  readonly kind: 'namespaces' | 'loopback'
  /** The address of HAProxy, PgBouncer and the services. */
  readonly front: string
  /** The addresses of the three database machines. */
  readonly hosts: readonly [string, string, string]
  /** As PostgreSQL's pg_hba.conf wants it. */
  readonly range: string
  /** Goes before a command that is to run on this machine. */
  prefix(machine: number): readonly string[]
  /** Lets nothing through to or from this machine. */
  cut(machine: number): void
  heal(machine: number): void
  close(): void
}

const ip = (...args: readonly string[]) => execFileSync('ip', args, { stdio: 'pipe' })
const machines = [0, 1, 2]

/** Namespaces where this user may make them, which takes root; else the shared loopback. */
export function openNetwork(): Network {
  const number = randomInt(1, 255)
  return canMakeNamespaces() ? openNamespaces(number) : openLoopback(number)
}

export function canMakeNamespaces(): boolean {
  const name = `postern-try-${process.pid}`
  try {
    ip('netns', 'add', name)
    ip('netns', 'delete', name)
    return true
  } catch {
    return false
  }
}

const addressesIn = (start: string, number: number) => ({
  front: `${start}.${number}.1`,
  hosts: [`${start}.${number}.11`, `${start}.${number}.12`, `${start}.${number}.13`] as const,
  range: `${start}.${number}.0/24`,
})

function openNamespaces(number: number): Network {
  const addresses = addressesIn('10.213', number)
  const bridge = `pst${number}`
  const space = (machine: number) => `postern-${number}-${machine + 1}`
  const port = (machine: number) => `pst${number}p${machine + 1}`
  ip('link', 'add', bridge, 'type', 'bridge')
  ip('address', 'add', `${addresses.front}/24`, 'dev', bridge)
  ip('link', 'set', bridge, 'up')
  for (const machine of machines) {
    const [name, inner] = [space(machine), `pst${number}i${machine + 1}`]
    ip('netns', 'add', name)
    ip('link', 'add', port(machine), 'type', 'veth', 'peer', 'name', inner, 'netns', name)
    ip('link', 'set', port(machine), 'master', bridge, 'up')
    ip('-n', name, 'address', 'add', `${addresses.hosts[machine]}/24`, 'dev', inner)
    for (const link of ['lo', inner]) ip('-n', name, 'link', 'set', link, 'up')
  }
  return {
    kind: 'namespaces',
    ...addresses,
    prefix: (machine) => ['ip', 'netns', 'exec', space(machine)],
    // As a switch whose port is dead: what is sent vanishes, and nobody is told.
    cut: (machine) => ip('link', 'set', port(machine), 'nomaster'),
    heal: (machine) => ip('link', 'set', port(machine), 'master', bridge),
    close: () => {
      for (const machine of machines) ip('netns', 'delete', space(machine))
      ip('link', 'delete', bridge)
    },
  }
}

/** Needs no rights. The addresses are of one caller alone, so the ports on them are free. */
export function openLoopback(number = randomInt(1, 255)): Network {
  const refuse = () => {
    throw new Error('The network of one machine can only be cut in a namespace, which takes root')
  }
  return {
    kind: 'loopback',
    ...addressesIn('127.213', number),
    prefix: () => [],
    cut: refuse,
    heal: refuse,
    close: () => undefined,
  }
}
