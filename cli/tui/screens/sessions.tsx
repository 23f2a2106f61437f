import { Box } from 'ink'
import type { Session } from '../../../shared/entities.ts'
import { relativeTime } from '../../output/time.ts'
import { revokeAll, revokeOthers, revokeSessions } from '../acts.ts'
import { commandLine } from '../commands.ts'
import type { Row } from '../components/table.tsx'
import { useAct } from '../hooks/use-act.ts'
import { useDesk } from '../hooks/use-desk.ts'
import { useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useShell } from '../hooks/use-shell.ts'
import type { Connection } from '../seam.ts'
import { deviceOf, deviceOrThis } from '../session-text.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { Page, type ScreenProps } from './page.tsx'
import { SignedOut } from './signed-out.tsx'

const load = ({ api }: Connection) => api.session.listSessions()
const none: readonly Session[] = []

/** Where a person is signed in. */
export function Sessions({ isActive }: ScreenProps) {
  const shell = useShell()
  const { me } = useDesk()
  const { data = none, isLoading, fault } = useLoad(load)
  const height = shell.height - listOverhead
  const list = useList({ items: data, idOf, textOf, height })
  const [one, others, all] = [useAct(revokeSessions, list.unmark), useAct(revokeOthers), useAct(revokeAll)]
  const names = (sessions: readonly Session[]) => sessions.map((session) => nameOf(session, me?.session.id))
  const { chosen, selected } = list
  const menu = () =>
    shell.show({
      kind: 'picker',
      title: chosen.length > 1 ? `${chosen.length} sessions` : deviceOf(chosen[0]),
      choices: [
        one.choice(chosen, names(chosen)),
        others.choice(data, names(data.filter(({ id }) => id !== me?.session.id))),
        all.choice(data, names(data)),
      ],
    })
  if (me === null) return <SignedOut screen="sessions" isActive={isActive} />
  return (
    <Page
      screen="sessions"
      isActive={isActive}
      typing={list.state.isTyping ? list.typing.intents : undefined}
      refusals={{ remove: one.refusal }}
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
          <LoadNote isLoading={isLoading} fault={fault} empty="No sessions" />
        )}
      </Box>
    </Page>
  )
}

const idOf = ({ id }: Session): string => id
const nameOf = (session: Session, currentId: string | undefined): string =>
  `${deviceOrThis(session, currentId)}  ${session.ipAddress ?? ''}`
const textOf = ({ id, userAgent, ipAddress }: Session): string => `${id} ${userAgent ?? ''} ${ipAddress ?? ''}`
function rowOf(session: Session, currentId: string | undefined): Row {
  const now = Date.now()
  const [used, ends] = [session.updatedAt, session.expiresAt].map((date) => relativeTime(date, now))
  const cells = [deviceOrThis(session, currentId), session.ipAddress ?? '-', used ?? '', ends ?? '']
  return { id: session.id, cells, tone: session.id === currentId ? 'good' : 'plain' }
}
