import type { StoredAccount } from '../../accounts/accounts.ts'
import type { TuiConnection } from '../ports.ts'
import type { AppState } from './app-state.ts'
import type { Ended } from './ended.ts'

/** One round of asking. Nothing is set once it was overtaken. */
export interface Reading {
  readonly set: (change: Partial<AppState>) => void
  readonly isOvertaken: () => boolean
  readonly isQuiet: boolean
}

export interface AccountReading extends Reading {
  readonly accounts: readonly StoredAccount[]
  /** The session that was there before, where its jar is not any more. */
  readonly gone: Ended | undefined
}

/** What nobody asked for is not in the log of requests. */
export const apiFor = ({ api, quiet }: TuiConnection, { isQuiet }: Pick<Reading, 'isQuiet'>): TuiConnection['api'] =>
  isQuiet ? quiet.api : api
