import { Box } from 'ink'
import type { Session } from '../../../shared/entities.ts'
import { commandWith } from '../../flows/command-line.ts'
import { revokeSession } from '../../flows/session/revoke.ts'
import { revokeAll } from '../../flows/session/revoke-all.ts'
import { revokeOthers } from '../../flows/session/revoke-others.ts'
import { sessionView } from '../../flows/session/view.ts'
import { relativeTime } from '../../output/time.ts'
import type { TableRow } from '../components/table.tsx'
import { sessionDetail } from '../details/session.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useShell } from '../hooks/use-shell.ts'
import { withKey } from '../keys/key-text.ts'
import type { TuiConnection } from '../ports.ts'
import type { AppState } from '../state/app-state.ts'
import { deviceColumns, deviceOf, deviceOrThis, toRevoke } from '../text/session-text.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { Page, type ScreenProps } from './page.tsx'

const load = ({ api }: TuiConnection) => api.session.listSessions()
const none: readonly Session[] = []

/** Where a person is signed in. */
export function SessionsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me } = state
  const currentId = me?.session.id
  const { data = none, isLoading, shownError } = useLoad(load)
  const height = shell.height - listOverhead
  const list = useList({ items: data, idOf, textOf, height, columns: deviceColumns })
  const one = useAction(revokeSession, { onDone: list.unmark })
  const [others, all] = [useAction(revokeOthers), useAction(revokeAll)]
  const self = me ? [{ user: me.user }] : []
  const names = (sessions: readonly Session[]) => sessions.map((session) => nameOf(session, currentId))
  const { chosen, selected } = list
  const revoked = chosen.map((session) => toRevoke(session, currentId))
  const actions = {
    title: chosen.length > 1 ? `${chosen.length} sessions` : deviceOf(chosen[0]),
    choices: [
      withKey('sessions', 'remove', one.choice(revoked, names(chosen))),
      others.choice(self, names(data.filter(({ id }) => id !== currentId))),
      all.choice(self, names(data)),
    ],
  }
  return (
    <Page
      screen="sessions"
      isActive={isActive}
      isLoading={(data === none && isLoading) || isUnasked(state)}
      list={list}
      disabledReasons={{ remove: one.disabledReason }}
      detail={detailOf(selected, currentId)}
      actions={actions}
      intents={{
        open: () => selected && shell.open({ screen: 'session', subject: selected.id }),
        remove: () => one.ask(revoked, names(chosen)),
        'copy-id': () => selected && shell.copy(selected.id, 'the session id'),
        'copy-command': () =>
          selected && shell.copy(commandWith(sessionView, [], { given: { id: selected.id } }), 'the command'),
      }}
    >
      <Box flexDirection="column">
        {data.length > 0 ? (
          <ListView
            view={list}
            rowOf={(session) => rowOf(session, currentId)}
            height={height}
            isActive={isActive}
            hasMarks
            empty="No sessions"
          />
        ) : (
          <LoadNote isLoading={isLoading} shownError={shownError} empty="No sessions" />
        )}
      </Box>
    </Page>
  )
}

const detailOf = (session: Session | undefined, currentId: string | undefined) =>
  session && sessionDetail(session, currentId)

/** Which session is one's own is not known yet. */
const isUnasked = ({ me, shownError }: AppState): boolean => me === undefined && !shownError
const idOf = ({ id }: Session): string => id
const nameOf = (session: Session, currentId: string | undefined): string =>
  `${deviceOrThis(session, currentId)}  ${session.ipAddress ?? ''}`
const textOf = ({ id, label, userAgent, ipAddress }: Session): string =>
  `${id} ${label ?? ''} ${userAgent ?? ''} ${ipAddress ?? ''}`
function rowOf(session: Session, currentId: string | undefined): TableRow {
  const now = Date.now()
  const [used, ends] = [session.updatedAt, session.expiresAt].map((date) => relativeTime(date, now))
  const cells = [deviceOrThis(session, currentId), session.ipAddress ?? '-', used ?? '', ends ?? '']
  return { id: session.id, cells, tone: session.id === currentId ? 'good' : 'plain' }
}
