import { join } from 'node:path'
import { preparePrivateFolder, readPrivate, writePrivate } from '../client/jar/file.ts'
import { parseJson } from '../client/json.ts'
import { withLock } from '../client/lock.ts'

/**
 * Stores, for each account, the time of the last activity shown on this machine. Within one run the answers stay the
 * same; what this run shows is recorded for the next.
 */
export interface LastSeenStore {
  /** Undefined on the first visit. */
  readonly last: (origin: string, email: string) => Promise<Date | undefined>
  /** Keeps the later of the two times, since another terminal may have shown more. */
  readonly note: (origin: string, email: string, seen: Date) => Promise<void>
}

/** Stored next to the jars. Times are the service's, since the clock of this machine may be wrong. */
export function createLastSeenStore(stateFolder: string): LastSeenStore {
  const file = join(stateFolder, 'visits.json')
  const before = new Map<string, Promise<Date | undefined>>()
  return {
    last: (origin, email) => {
      const name = nameOf(origin, email)
      const last = before.get(name) ?? read(file).then((visits) => dateIn(visits[name]))
      before.set(name, last)
      return last
    },
    note: async (origin, email, seen) => {
      await preparePrivateFolder(stateFolder)
      await withLock(file, {}, async () => {
        const [visits, name] = [await read(file), nameOf(origin, email)]
        const noted = dateIn(visits[name])
        if (noted && noted >= seen) return
        await writePrivate(file, `${JSON.stringify({ ...visits, [name]: seen.toISOString() }, null, 1)}\n`)
      })
    },
  }
}

const nameOf = (origin: string, email: string): string => `${origin} ${email}`

/** An unreadable file counts as empty: only the notices at home depend on it. */
async function read(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object(parseJson((await readPrivate(file)) ?? '{}'))
  } catch {
    return {}
  }
}

function dateIn(value: unknown): Date | undefined {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date
}
