import type { Session } from '../../../shared/entities.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import { endingOf, type Naming, pickOne } from '../candidates.ts'
import type { Ports } from '../ports.ts'

/** A session without its token, which opens the account to whoever reads it. */
export type ListedSession = Omit<Session, 'token'> & { readonly current: boolean }

export const sessionFields = {
  id: 'text',
  current: 'flag',
  userId: 'text',
  ipAddress: 'text?',
  userAgent: 'text?',
  label: 'text?',
  createdAt: 'date',
  updatedAt: 'date',
  expiresAt: 'date',
  activeOrganizationId: 'text?',
  impersonatedBy: 'text?',
  addressProven: 'flag?',
} as const satisfies Record<keyof ListedSession, FieldType>

/** What these are called, in tables and on screens. */
export const sessionTitles = {
  id: 'ID',
  current: 'Current',
  userId: 'User',
  ipAddress: 'Address',
  label: 'Label',
  userAgent: 'Client',
  createdAt: 'Since',
  updatedAt: 'Updated',
  expiresAt: 'Expires',
  activeOrganizationId: 'Organization',
  impersonatedBy: 'Impersonated by',
  addressProven: 'Address proven',
} as const satisfies Record<keyof ListedSession, string>

const columnOf = (name: keyof ListedSession): Column<ListedSession> => ({
  header: sessionTitles[name],
  value: (session) => session[name],
})
const readFirst = ['label', 'userAgent', 'current', 'createdAt', 'expiresAt', 'ipAddress'] as const

export const sessionColumns: readonly Column<ListedSession>[] = [
  ...readFirst.map(columnOf),
  { ...columnOf('id'), id: 'argument' },
]

export const sessionSheet = (Object.keys(sessionTitles) as (keyof ListedSession)[]).map(columnOf)

type Named = Pick<Session, 'id' | 'label' | 'userAgent' | 'createdAt'>

const naming: Omit<Naming<Named>, 'list' | 'ways'> = {
  kind: 'session',
  ids: ({ id }) => [id],
  describe: ({ id, label, userAgent, createdAt }) =>
    [id, `since ${createdAt.toISOString()}`, label, userAgent].filter(Boolean).join('  '),
}

/**
 * By its id, or by the label that one alone has; `list`: the command that shows them. A label is what a machine says of
 * itself, so none may take the place of another session's id, nor of the ending that a table shows of it.
 */
export function pickSession<S extends Named>(sessions: readonly S[], word: string, list: string): S {
  const isOfAnId = sessions.some(({ id }) => id.endsWith(endingOf(word)))
  return pickOne(sessions, word, { ...naming, ways: isOfAnId ? [] : [({ label }) => label === word], list })
}

export async function sessionsOf(ports: Ports): Promise<readonly ListedSession[]> {
  const { api } = await ports.signedIn()
  return (await api.session.listSessions()).map(listed)
}

/** Their ids, and the labels that one alone has; one that begins like a flag would be taken for one. */
export async function sessionWords(ports: Ports): Promise<readonly string[]> {
  const sessions = await sessionsOf(ports)
  const labels = sessions.map(({ label }) => label ?? '')
  const plain = labels.filter((label) => /^\w/.test(label) && labels.indexOf(label) === labels.lastIndexOf(label))
  return [...sessions.map(({ id }) => id), ...plain]
}

/** The service shows the raw token of the caller's own session only; of the others it shows their id. */
const listed = ({ token, ...session }: Session): ListedSession => ({ ...session, current: token !== session.id })
