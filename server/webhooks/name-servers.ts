import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'

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
    const [first] = answers
    if (found.length === 0 && first.status === 'rejected') throw first.reason
    return found
  }
}
