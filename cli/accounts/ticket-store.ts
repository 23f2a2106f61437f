import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { preparePrivateFolder, readPrivate, removeOldDrafts, removePrivate, writePrivate } from '../client/jar/file.ts'
import { parseJson } from '../client/json.ts'
import { withLock } from '../client/lock.ts'
import type { Ticket, Tickets } from '../flows/device/ticket.ts'

/** Tickets are stored like jars: 0600 files in a 0700 folder, changed under a lock and replaced as a whole. */
export function createTicketStore(stateFolder: string, now: () => number): Tickets {
  const folder = join(stateFolder, 'tickets')
  const fileOf = (name: string) => join(folder, `${name}.json`)
  const find = async (name: string) => (isName(name) ? readTicket(fileOf(name)) : undefined)
  const drop = async (name: string) => {
    if (isName(name)) await withLock(fileOf(name), {}, () => removePrivate(fileOf(name)))
  }
  return {
    find,
    drop,
    keep: async (ticket) => {
      await preparePrivateFolder(folder)
      await sweep(folder, now(), { find, drop })
      const name = randomBytes(10).toString('hex')
      await withLock(fileOf(name), {}, () => writeTicket(fileOf(name), ticket))
      return name
    },
    change: async (name, change) =>
      withLock(fileOf(name), {}, async () => {
        const old = await find(name)
        if (!old) return undefined
        const ticket = { ...old, ...change }
        await writeTicket(fileOf(name), ticket)
        return ticket
      }),
  }
}

/** Only such names are accepted, so a name cannot lead out of the folder. */
const isName = (text: string): boolean => /^[\da-f]{20}$/.test(text)

const format = 1

const writeTicket = (file: string, ticket: Ticket): Promise<void> =>
  writePrivate(file, `${JSON.stringify({ format, ...ticket })}\n`)

async function readTicket(file: string): Promise<Ticket | undefined> {
  const text = await readPrivate(file)
  return text === undefined ? undefined : ticketIn(text)
}

/** A damaged ticket, or one of another version, counts as none: signing in again takes a minute. */
function ticketIn(text: string): Ticket | undefined {
  try {
    const { format: written, ...ticket } = Object(parseJson(text)) as Ticket & { readonly format?: unknown }
    return written === format && isTicket(ticket) ? ticket : undefined
  } catch {
    return undefined
  }
}

const isTicket = ({ token, ...ticket }: Ticket): boolean =>
  [ticket.server, ticket.url, ticket.userCode, ticket.deviceCode, ticket.verifier ?? '', token ?? ''].every(
    (value) => typeof value === 'string',
  ) && [ticket.expiresAt, ticket.interval, ticket.pollAfter].every(Number.isFinite)

/** Deletes expired tickets that were never used, and what crashes have left. */
async function sweep(folder: string, now: number, { find, drop }: Pick<Tickets, 'find' | 'drop'>): Promise<void> {
  for (const file of await readdir(folder)) {
    const [name = '', ...endings] = file.split('.')
    if (!isName(name) || endings[0] !== 'json') continue
    if (endings.at(-1) === 'tmp') await removeOldDrafts(join(folder, `${name}.json`))
    // The lock or the draft of a ticket that another process is about to keep.
    if (endings.length > 1) continue
    const ticket = await find(name).catch(() => undefined)
    if (!ticket || ticket.expiresAt < now) await drop(name).catch(() => {})
  }
}
