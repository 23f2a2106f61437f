import type { FullUser } from '../../../shared/entities.ts'
import { relativeTime } from '../../output/time.ts'
import type { Flow } from '../flow.ts'
import { dateIn, secondsIn, spanProblem } from '../moment.ts'
import { type AdminView, isMe, type ListedUser, listedUser, listedUserFields, userCount, userFor } from './users.ts'

const fields = {
  reason: {
    kind: 'text',
    label: 'Reason',
    flag: '--reason <text>',
    summary: 'why; administrators see it',
    key: 'banReason',
    isOptional: true,
  },
  span: {
    kind: 'text',
    label: 'For',
    flag: '--for <time>',
    summary: 'so long, like 12h or 7d; default: as the service is set up, else for good',
    isOptional: true,
    check: (text: string, name: string) => spanProblem(text, name),
  },
  until: {
    kind: 'text',
    label: 'Until',
    flag: '--until <date>',
    summary: 'until then, like 2026-12-31 or 2026-12-31T12:00:00Z',
    isOptional: true,
    onlyInCommands: true,
    check: (text: string, name: string) =>
      dateIn(text) ? undefined : `${name} is a date like 2026-12-31 or 2026-12-31T12:00:00Z`,
  },
} as const

export const banUser: Flow<FullUser, typeof fields, AdminView, ListedUser> = {
  command: 'admin user ban',
  summary: 'Keep a user out; everything by which they are signed in ends at once',
  title: 'Ban',
  writes: true,
  needsSession: true,
  subject: userFor('user:ban'),
  fields,
  call: '/admin/ban-user',
  answer: listedUserFields,
  examples: ['ann@example.com --reason Spam', 'ann@example.com --for 7d', 'ann@example.com --until 2026-12-31'],
  note: ({ email }) =>
    `Ends every session of ${email}; keys and trust rules of theirs do nothing while the ban lasts. Without a time the ban lasts as the service is set up, else for good.`,
  disabledReason: (users, view) => (isMe(users, view) ? 'nobody bans themselves' : undefined),
  check: ({ span, until }) => ({
    until: span && until ? 'Give --for or --until, not both' : undefined,
  }),
  run: async (ports, { id: userId }, { reason, span, until }) => {
    const { api } = await ports.signedIn()
    const seconds = span ? secondsIn(span) : secondsUntil(until, ports.now())
    const { user } = await api.admin.banUser({
      userId,
      ...(reason && { banReason: reason }),
      ...(seconds !== undefined && { banExpiresIn: seconds }),
    })
    return {
      sentence: `Banned ${user.email}${endWords(user, ports.now())}`,
      status: 'updated',
      resource: listedUser(user),
    }
  },
  doneWith: (users) => `Banned ${userCount(users)}`,
}

/** What has passed is no time to come: the service refuses it in its own words. */
const secondsUntil = (until: string | undefined, now: number): number | undefined => {
  const date = until === undefined ? undefined : dateIn(until)
  return date && Math.ceil((date.getTime() - now) / 1000)
}

const endWords = ({ banExpires }: FullUser, now: number): string =>
  banExpires ? `; it ends ${relativeTime(banExpires, now)}` : ''

export const unbanUser: Flow<FullUser, Readonly<Record<never, never>>, AdminView, ListedUser> = {
  command: 'admin user unban',
  summary: 'Let a banned user in again',
  title: 'Lift the ban',
  writes: true,
  needsSession: true,
  subject: userFor('user:ban'),
  fields: {},
  call: '/admin/unban-user',
  answer: listedUserFields,
  examples: ['ann@example.com'],
  consent: { question: (users) => `Let ${userCount(users)} in again?`, forKeysOnly: true },
  disabledReason: (users) => (users.some(({ banned }) => !banned) ? 'not banned' : undefined),
  run: async (ports, before) => {
    const { api } = await ports.signedIn()
    const { user } = await api.admin.unbanUser({ userId: before.id })
    const [sentence, status] = before.banned
      ? ([`${user.email} may sign in again`, 'updated'] as const)
      : ([`${user.email} was not banned`, 'unchanged'] as const)
    return { sentence, status, resource: listedUser(user) }
  },
  doneWith: (users) => `${userCount(users)} may sign in again`,
}
