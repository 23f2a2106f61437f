import type { FullUser } from '../../../shared/entities.ts'
import { relativeTime } from '../../output/time.ts'
import { commandWith } from '../command-line.ts'
import type { Flow } from '../flow.ts'
import { checkNotImpersonating, type Impersonated, impersonatedFields, startImpersonating } from './impersonation.ts'
import { stopImpersonating } from './stop-impersonating.ts'
import { type AdminView, isMe, userFor } from './users.ts'

const impersonated = userFor('user:impersonate')

export const impersonateUser: Flow<FullUser, Readonly<Record<never, never>>, AdminView, Impersonated> = {
  command: 'admin user impersonate',
  summary: 'See the service as a user sees it for a while, and change nothing; your own session stays beside it',
  title: 'Impersonate',
  writes: true,
  needsSession: true,
  subject: {
    ...impersonated,
    finder: async (ports, values, words) => {
      await checkNotImpersonating(ports)
      return impersonated.finder(ports, values, words)
    },
  },
  fields: {},
  call: '/admin/impersonate-user',
  answer: impersonatedFields,
  examples: ['ann@example.com'],
  consent: {
    question: ([user]) =>
      `Act as ${user?.email}? You see what they see and change nothing; both ends of it stand in the audit trail.`,
    forKeysOnly: true,
  },
  disabledReason: (users, view) => {
    if (isMe(users, view)) return 'that is you'
    return users.some(({ banned }) => banned) ? 'banned users are not impersonated' : undefined
  },
  run: async (ports, user) => {
    const account = await checkNotImpersonating(ports)
    const resource = await startImpersonating(ports, account, user)
    const ends = relativeTime(resource.expiresAt, ports.now())
    return {
      sentence: `IMPERSONATING ${user.email}: you see what they see and change nothing, until it ends ${ends}`,
      status: 'created',
      resource,
      notes: [`Back to your own session: ${commandWith(stopImpersonating)}`],
      leadsHome: true,
    }
  },
}
