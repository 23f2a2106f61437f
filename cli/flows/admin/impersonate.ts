import type { FullUser } from '../../../shared/entities.ts'
import type { AccountRef, Impersonation } from '../../accounts/accounts.ts'
import { relativeTime } from '../../output/time.ts'
import { commandWith } from '../command-line.ts'
import type { Flow, NoFields } from '../flow.ts'
import {
  checkNotImpersonating,
  type ImpersonationInfo,
  impersonatedFields,
  startImpersonating,
  stopImpersonation,
} from './impersonation.ts'
import { type AdminView, isMe, userFor } from './users.ts'

const impersonated = userFor('user:impersonate')

export const impersonateUser: Flow<FullUser, NoFields, AdminView, ImpersonationInfo> = {
  command: 'admin user impersonate',
  summary: 'See the service as a user sees it for a limited time, without changing anything; your own session is kept',
  title: 'Impersonate',
  subject: {
    ...impersonated,
    finder: async (context, values, words) => {
      await checkNotImpersonating(context)
      return impersonated.finder(context, values, words)
    },
  },
  fields: {},
  call: '/admin/impersonate-user',
  answer: impersonatedFields,
  examples: ['ann@example.com'],
  consent: {
    question: ([user]) =>
      `Act as ${user?.email}? You see what they see but cannot change anything. The audit trail records the start and the end.`,
    forKeysOnly: true,
  },
  disabledReason: (users, view) => {
    if (isMe(users, view)) return 'that is you'
    return users.some(({ banned }) => banned) ? 'banned users cannot be impersonated' : undefined
  },
  run: async (context, user) => {
    const account = await checkNotImpersonating(context)
    const resource = await startImpersonating(context, account, user)
    const ends = relativeTime(resource.expiresAt, context.now())
    return {
      sentence: `IMPERSONATING ${user.email}: you see what they see but cannot change anything, until it ends ${ends}`,
      status: 'created',
      resource,
      notes: [`Back to your own session: ${commandWith(stopImpersonating)}`],
      leadsHome: true,
    }
  },
}

/** Undefined if the run uses a token from the environment. */
interface ActingAccount {
  readonly account: AccountRef | undefined
  readonly held: Impersonation | undefined
}

export const stopImpersonating: Flow<ActingAccount, NoFields, unknown, Partial<ImpersonationInfo>> = {
  command: 'admin impersonation stop',
  summary: 'Stop impersonating a user, and return to your own session',
  title: 'Stop impersonating',
  // Leaving must work even if the impersonation's session has ended.
  isForAnyone: true,
  globalFlags: ['--account'],
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
  run: async (context, { account, held }) => {
    if (account && held) return stopImpersonation(context, account, { held })
    if (account) return { sentence: 'Nobody was impersonated', status: 'unchanged', resource: {} }
    const { api } = await context.signedIn()
    await api.admin.stopImpersonating({})
    return { sentence: 'Stopped impersonating: that session is over', status: 'deleted', resource: {} }
  },
}
