import { Box } from 'ink'
import type { Session } from '../../../shared/entities.ts'
import { commandLine } from '../../flows/command-line.ts'
import { revokeSession } from '../../flows/session/revoke.ts'
import { revokeAll } from '../../flows/session/revoke-all.ts'
import { revokeOthers } from '../../flows/session/revoke-others.ts'
import { relativeTime } from '../../output/time.ts'
import type { TableRow } from '../components/table.tsx'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useShell } from '../hooks/use-shell.ts'
import type { TuiConnection } from '../ports.ts'
import { deviceOf, deviceOrThis } from '../text/session-text.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { Page, type ScreenProps } from './page.tsx'
import { SignedOutScreen } from './signed-out.tsx'

const load = ({ api }: TuiConnection) => api.session.listSessions()
const none: readonly Session[] = []

/** Where a person is signed in. */
export function SessionsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const { me } = useAppState()
  const { data = none, isLoading, shownError } = useLoad(load)
  const height = shell.height - listOverhead
  const list = useList({ items: data, idOf, textOf, height })
  const one = useAction(revokeSession, { onDone: list.unmark })
  const [others, all] = [useAction(revokeOthers), useAction(revokeAll)]
  const self = me ? [{ user: me.user }] : []
  const names = (sessions: readonly Session[]) => sessions.map((session) => nameOf(session, me?.session.id))
  const { chosen, selected } = list
  const menu = () =>
    shell.show({
      kind: 'picker',
      title: chosen.length > 1 ? `${chosen.length} sessions` : deviceOf(chosen[0]),
      choices: [
        one.choice(chosen, names(chosen)),
        others.choice(self, names(data.filter(({ id }) => id !== me?.session.id))),
        all.choice(self, names(data)),
      ],
    })
  if (me === null) return <SignedOutScreen screen="sessions" isActive={isActive} />
  return (
    <Page
      screen="sessions"
      isActive={isActive}
      typing={list.state.isTyping ? list.typing.intents : undefined}
      disabledReasons={{ remove: one.disabledReason }}
      intents={{
        ...list.intents,
        open: () => selected && shell.open({ screen: 'session', subject: selected.id }),
        remove: () => one.ask(chosen, names(chosen)),
        actions: menu,
        'copy-id': () => selected && shell.copy(selected.id, 'the session id'),
        'copy-command': () =>
          selected && shell.copy(commandLine('postern', 'session', 'view', selected.id), 'the command'),
      }}
    >
      <Box flexDirection="column">
        {data.length > 0 ? (
          <ListView
            view={list}
            headers={['Device', 'Address', 'Last used', 'Ends']}
            rowOf={(session) => rowOf(session, me?.session.id)}
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

const idOf = ({ id }: Session): string => id
const nameOf = (session: Session, currentId: string | undefined): string =>
  `${deviceOrThis(session, currentId)}  ${session.ipAddress ?? ''}`
const textOf = ({ id, userAgent, ipAddress }: Session): string => `${id} ${userAgent ?? ''} ${ipAddress ?? ''}`
function rowOf(session: Session, currentId: string | undefined): TableRow {
  const now = Date.now()
  const [used, ends] = [session.updatedAt, session.expiresAt].map((date) => relativeTime(date, now))
  const cells = [deviceOrThis(session, currentId), session.ipAddress ?? '-', used ?? '', ends ?? '']
  return { id: session.id, cells, tone: session.id === currentId ? 'good' : 'plain' }
}
