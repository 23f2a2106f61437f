import { Box } from 'ink'
import { useCallback } from 'react'
import type { FullUser, Session } from '../../../../shared/entities.ts'
import { revokeUserSession, revokeUserSessions } from '../../../flows/admin/revoke-sessions.ts'
import { sessionsOfUser, userSessionList } from '../../../flows/admin/sessions.ts'
import { findUser } from '../../../flows/admin/users.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import { sessionDetail } from '../../details/session.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useList } from '../../hooks/use-list.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import { deviceColumns, deviceOf } from '../../text/session-text.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'

const none: readonly Session[] = []

/** Where a user is signed in, for an administrator. */
export function UserSessionsScreen({ isActive, subject }: ScreenProps & { readonly subject: string }) {
  const shell = useShell()
  const load = useCallback((connection: TuiConnection) => read(connection, subject), [subject])
  const { data, isLoading, shownError } = useLoad(load)
  const height = shell.height - listOverhead
  const list = useList({ items: data?.sessions ?? none, idOf, textOf, height, columns: deviceColumns })
  const [one, all] = [useAction(revokeUserSession, { onDone: list.unmark }), useAction(revokeUserSessions)]
  const { chosen, selected } = list
  const subjects = data ? chosen.map((session) => ({ user: data.user, session })) : []
  const names = chosen.map(textOf)
  const actions = data && {
    title: data.user.email,
    choices: [
      withKey('user-sessions', 'remove', one.choice(subjects, names)),
      all.choice([data.user], data.sessions.map(textOf)),
    ],
  }
  return (
    <Page
      screen="user-sessions"
      isActive={isActive}
      isLoading={!data && isLoading}
      detail={selected && sessionDetail(selected, undefined)}
      list={list}
      disabledReasons={{ remove: one.disabledReason }}
      actions={actions}
      intents={{
        remove: () => one.ask(subjects, names),
        open: () => actions && shell.show({ kind: 'picker', ...actions }),
        'copy-id': () => selected && shell.copy(selected.id, 'the session id'),
        'copy-command': () =>
          data && shell.copy(commandWith(userSessionList, [], { given: { user: data.user.email } }), 'the command'),
      }}
    >
      <Box flexDirection="column">
        {data && data.sessions.length > 0 ? (
          <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} hasMarks empty="No sessions" />
        ) : (
          <LoadNote isLoading={isLoading} shownError={shownError} empty="No sessions" />
        )}
      </Box>
    </Page>
  )
}

interface Read {
  readonly user: FullUser
  readonly sessions: readonly Session[]
}

async function read(connection: TuiConnection, id: string): Promise<Read> {
  const [user, sessions] = await Promise.all([findUser(connection, id), sessionsOfUser(connection, { id })])
  return { user, sessions }
}

const idOf = ({ id }: Session): string => id
const textOf = (session: Session): string => `${deviceOf(session)}  ${session.ipAddress ?? ''}`

function rowOf(session: Session): TableRow {
  const now = Date.now()
  const { id, ipAddress, updatedAt, expiresAt, impersonatedBy } = session
  const device = `${impersonatedBy === null ? '' : 'IMPERSONATED: '}${deviceOf(session)}`
  return { id, cells: [device, ipAddress ?? '-', relativeTime(updatedAt, now), relativeTime(expiresAt, now)] }
}
