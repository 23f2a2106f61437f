import type { Session } from '../../../shared/entities.ts'
import type { FieldType } from '../../output/json.ts'

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
} satisfies Record<keyof ListedSession, FieldType>

/** The service shows the raw token of the caller's own session only; of the others it shows their id. */
export const listed = ({ token, ...session }: Session): ListedSession => ({ ...session, current: token !== session.id })
