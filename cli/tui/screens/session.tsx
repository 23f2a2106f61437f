import { commandWith } from '../../flows/command-line.ts'
import { revokeSession } from '../../flows/session/revoke.ts'
import { sessionView } from '../../flows/session/view.ts'
import { sessionDetail } from '../details/session.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useShell } from '../hooks/use-shell.ts'
import { withKey } from '../keys/key-text.ts'
import type { TuiConnection } from '../ports.ts'
import { deviceOf, deviceOrThis, toRevoke } from '../text/session-text.ts'
import { DetailView } from './detail-pane.tsx'
import { LoadNote } from './load-note.tsx'
import { Page } from './page.tsx'

const load = ({ api }: TuiConnection) => api.session.listSessions()

/** One session, whole. */
export function SessionScreen({ isActive, subject }: { readonly isActive: boolean; readonly subject: string }) {
  const shell = useShell()
  const { me } = useAppState()
  const { data, isLoading, shownError } = useLoad(load)
  const session = data?.find(({ id }) => id === subject)
  const revoke = useAction(revokeSession, { onDone: shell.back })
  const targets = session ? [toRevoke(session, me?.session.id)] : []
  const details = session ? [deviceOrThis(session, me?.session.id)] : []
  const command = commandWith(sessionView, [], { given: { id: subject } })
  return (
    <Page
      screen="session"
      isActive={isActive}
      isLoading={!data && isLoading}
      disabledReasons={{ remove: revoke.disabledReason }}
      actions={{
        title: deviceOf(session),
        choices: [withKey('session', 'remove', revoke.choice(targets, details))],
      }}
      intents={{
        remove: () => revoke.ask(targets, details),
        'copy-id': () => shell.copy(subject, 'the session id'),
        'copy-command': () => shell.copy(command, 'the command'),
      }}
    >
      {session ? (
        <DetailView detail={sessionDetail(session, me?.session.id)} />
      ) : (
        <LoadNote isLoading={isLoading} shownError={shownError} empty="This session is over" />
      )}
    </Page>
  )
}
