import type { Column } from '../../output/cell.ts'

/** What a script or a person needs to resume what waits for a browser. Contains no secret. */
export interface StartedInBrowser {
  readonly ticket: string
  readonly url: string
  readonly userCode: string
  readonly expiresAt: Date
  /** Seconds between two polls. */
  readonly interval: number
}

export const startedFields = {
  ticket: 'text',
  url: 'text',
  userCode: 'text',
  expiresAt: 'date',
  interval: 'number',
} as const

export const startedColumns: readonly Column<StartedInBrowser>[] = [
  { header: 'Open', value: ({ url }) => url },
  { header: 'Code', value: ({ userCode }) => userCode },
  { header: 'Expires', value: ({ expiresAt }) => expiresAt },
  { header: 'Ticket', value: ({ ticket }) => ticket },
]
