import type { LookupAddress } from 'node:dns'
import { Resolver, lookup as systemLookup } from 'node:dns/promises'

type NameServers = Pick<Resolver, 'resolve4' | 'resolve6'>

/** Finds all addresses of a name. */
export type LookUp = (host: string) => Promise<readonly LookupAddress[]>

/** Milliseconds. */
const longestUse = 60_000

const askSystems = (): NameServers => new Resolver({ timeout: 2000, tries: 2 })

/**
 * Asks the name servers itself. The system's resolver has few places for the whole process, and a name whose servers do
 * not answer would take them from sign-in, mail and the database. A `Resolver` learns the name servers of the system
 * when it is made, and never again, so it is used for a minute. `make` is for tests.
 */
export function createNameLookup(make: () => NameServers = askSystems): LookUp {
  let servers: NameServers | undefined
  let madeAt = 0
  const current = (): NameServers => {
    const now = performance.now()
    if (servers && now - madeAt < longestUse) return servers
    madeAt = now
    return (servers = make())
  }
  return async (host) => {
    if (host === 'localhost') return [{ address: '127.0.0.1', family: 4 }]
    const asked = current()
    const answers = await Promise.allSettled([asked.resolve4(host), asked.resolve6(host)])
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    )
    if (found.length > 0) return found
    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))
    const reason = reasons.find(isLate) ?? reasons[0]
    if (reason !== undefined) throw reason
    return found
  }
}

const isLate = (error: unknown): boolean => (error as { code?: string }).code === 'ETIMEOUT'

const askSystem: LookUp = (host) => systemLookup(host, { all: true })

/**
 * The same, and then the system's resolver: hosts of the own network may have names that only it knows. Not for a name
 * whose servers do not answer, for which the system would wait too. `system` is for tests.
 */
export const orBySystem =
  (lookUp: LookUp, system = askSystem): LookUp =>
  async (host) => {
    try {
      return await lookUp(host)
    } catch (error) {
      if (isLate(error)) throw error
      return system(host)
    }
  }
