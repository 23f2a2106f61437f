import type { AccountAt, Impersonation } from '../../accounts/accounts.ts'
import type { Flow } from '../flow.ts'
import { type Impersonated, stopHeld } from './impersonation.ts'

/** Undefined: the run speaks by a token of the environment. */
export interface ActingAccount {
  readonly account: AccountAt | undefined
  readonly held: Impersonation | undefined
}

export const stopImpersonating: Flow<ActingAccount, Readonly<Record<never, never>>, unknown, Partial<Impersonated>> = {
  command: 'admin impersonation stop',
  summary: 'Stop acting as somebody else: your own session is there again',
  title: 'Stop impersonating',
  writes: true,
  // The session of the impersonation may be over: that is no reason against leaving it.
  needsSession: false,
  subject: {
    finder: async ({ accounts, current }) => {
      const account = await current()
      const held = account && (await accounts.impersonation(account))
      return () => ({ account, held })
    },
    words: () => ({}),
  },
  fields: {},
  call: '/admin/stop-impersonating',
  answer: { email: 'text?', expiresAt: 'date?' },
  examples: [''],
  disabledReason: ([one]) => (one?.held ? undefined : 'nobody is impersonated'),
  run: async (ports, { account, held }) => {
    if (account && held) return stopHeld(ports, account, { held })
    if (account) return { sentence: 'Nobody was impersonated', status: 'unchanged', resource: {} }
    const { api } = await ports.signedIn()
    await api.admin.stopImpersonating({})
    return { sentence: 'Stopped impersonating: that session is over', status: 'deleted', resource: {} }
  },
}
