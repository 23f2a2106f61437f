import type { Column } from '../../output/cell.ts'
import type { Ports } from '../ports.ts'
import { startDevice } from './start.ts'

/** What a script, or whoever it tells, needs to go on: no secret among it. */
export interface StartedSignIn {
  readonly ticket: string
  readonly url: string
  readonly userCode: string
  readonly expiresAt: Date
  /** Seconds between two looks. */
  readonly interval: number
}

export const startedFields = {
  ticket: 'text',
  url: 'text',
  userCode: 'text',
  expiresAt: 'date',
  interval: 'number',
} as const

export const startedColumns: readonly Column<StartedSignIn>[] = [
  { header: 'Open', value: ({ url }) => url },
  { header: 'Code', value: ({ userCode }) => userCode },
  { header: 'Expires', value: ({ expiresAt }) => expiresAt },
  { header: 'Ticket', value: ({ ticket }) => ticket },
]

/** Begins a sign-in in a browser and leaves it at that. */
export async function beginSignIn(
  ports: Ports,
  { server, provider }: { readonly server: string; readonly provider: string | undefined },
): Promise<StartedSignIn> {
  const { ticket } = await startDevice(ports, { server, provider })
  const { url, userCode, expiresAt, interval } = ticket
  const name = await ports.tickets.keep(ticket)
  return { ticket: name, url, userCode, expiresAt: new Date(expiresAt), interval: interval / 1000 }
}
