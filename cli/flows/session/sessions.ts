import type { Session } from '../../../shared/entities.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import type { Ports } from '../ports.ts'

/** A session without its token, which opens the account to whoever reads it. */
export type ListedSession = Omit<Session, 'token'> & { readonly current: boolean }

export const sessionFields = {
  id: 'text',
  current: 'flag',
  userId: 'text',
  ipAddress: 'text?',
  userAgent: 'text?',
  createdAt: 'date',
  updatedAt: 'date',
  expiresAt: 'date',
  activeOrganizationId: 'text?',
  impersonatedBy: 'text?',
} as const satisfies Record<keyof ListedSession, FieldType>

export const sessionColumns: readonly Column<ListedSession>[] = [
  { header: 'ID', value: ({ id }) => id, isWhole: true },
  { header: 'Here', value: ({ current }) => current },
  { header: 'Since', value: ({ createdAt }) => createdAt },
  { header: 'Expires', value: ({ expiresAt }) => expiresAt },
  { header: 'Address', value: ({ ipAddress }) => ipAddress },
  { header: 'Client', value: ({ userAgent }) => userAgent },
]

export const sessionSheet: readonly Column<ListedSession>[] = [
  { header: 'ID', value: ({ id }) => id },
  { header: 'Current', value: ({ current }) => current },
  { header: 'User', value: ({ userId }) => userId },
  { header: 'Address', value: ({ ipAddress }) => ipAddress },
  { header: 'Client', value: ({ userAgent }) => userAgent },
  { header: 'Since', value: ({ createdAt }) => createdAt },
  { header: 'Updated', value: ({ updatedAt }) => updatedAt },
  { header: 'Expires', value: ({ expiresAt }) => expiresAt },
  { header: 'Organization', value: ({ activeOrganizationId }) => activeOrganizationId },
  { header: 'Impersonated by', value: ({ impersonatedBy }) => impersonatedBy },
]

export async function sessionsOf(ports: Ports): Promise<readonly ListedSession[]> {
  const { api } = await ports.signedIn()
  return (await api.session.listSessions()).map(listed)
}

/** The service shows the raw token of the caller's own session only; of the others it shows their id. */
const listed = ({ token, ...session }: Session): ListedSession => ({ ...session, current: token !== session.id })
