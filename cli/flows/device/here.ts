import type { Ports } from '../ports.ts'
import type { BrowserReturn } from '../waiting.ts'
import { over, pollOnce, refused } from './poll.ts'
import { startDevice, type Wanted } from './start.ts'
import type { Ticket } from './ticket.ts'

/** A sign-in whose page was opened on this machine, and which only this machine can finish. */
export interface Here {
  /** What the page shows. */
  readonly code: string
  /** Answers the session when the browser comes back. */
  readonly token: () => Promise<string>
  readonly close: () => void
}

/** Undefined where that cannot be: the printed address does without. */
export async function openHere(ports: Ports, wanted: Wanted): Promise<Here | undefined> {
  const back = await ports.browser.awaitReturn().catch(() => undefined)
  if (!back) return undefined
  const started = await startComingBack(ports, wanted, back)
  if (started && (await ports.browser.open(started.completeUrl))) return hereOf(ports, started.ticket, back)
  back.close()
  return undefined
}

const startComingBack = (ports: Ports, wanted: Wanted, { address, state }: BrowserReturn) =>
  startDevice(ports, { ...wanted, comeBack: { redirect_uri: address, state } }).catch(() => undefined)

const hereOf = (ports: Ports, ticket: Ticket, { query, close }: BrowserReturn): Here => ({
  code: ticket.userCode,
  close,
  token: async () => {
    const code = (await query).get('code')
    if (code === null) throw refused(ticket)
    const { api } = await ports.asNobody(ticket.server)
    const outcome = await pollOnce(api, ticket, code)
    if ('token' in outcome) return outcome.token
    throw outcome.fault ?? over('not finished: the browser came back too early', ticket)
  },
})
