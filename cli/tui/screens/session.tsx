import type { Session } from '../../../shared/entities.ts'
import { commandLine } from '../../flows/command-line.ts'
import { revokeSession } from '../../flows/session/revoke.ts'
import { Facts } from '../components/facts.tsx'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useShell } from '../hooks/use-shell.ts'
import type { TuiConnection } from '../ports.ts'
import { deviceOf, deviceOrThis, fullTime } from '../text/session-text.ts'
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
  const targets = session ? [session] : []
  const details = session ? [deviceOrThis(session, me?.session.id)] : []
  const command = commandLine('postern', 'session', 'view', subject)
  return (
    <Page
      screen="session"
      isActive={isActive}
      disabledReasons={{ remove: revoke.disabledReason }}
      intents={{
        remove: () => revoke.ask(targets, details),
        actions: () =>
          shell.show({ kind: 'picker', title: deviceOf(session), choices: [revoke.choice(targets, details)] }),
        'copy-id': () => shell.copy(subject, 'the session id'),
        'copy-command': () => shell.copy(command, 'the command'),
      }}
    >
      {session ? (
        <Facts facts={factsOf(session, session.id === me?.session.id)} />
      ) : (
        <LoadNote isLoading={isLoading} shownError={shownError} empty="This session is over" />
      )}
    </Page>
  )
}

const factsOf = (session: Session, isCurrent: boolean) => [
  { label: 'Device', value: deviceOf(session) },
  { label: 'Address', value: session.ipAddress ?? 'unknown' },
  { label: 'This session', value: isCurrent ? 'yes: revoking it signs you out' : 'no' },
  { label: 'Signed in', value: fullTime(session.createdAt) },
  { label: 'Last used', value: fullTime(session.updatedAt) },
  { label: 'Ends', value: fullTime(session.expiresAt) },
  ...(session.impersonatedBy ? [{ label: 'Opened by', value: session.impersonatedBy, tone: 'danger' as const }] : []),
  { label: 'Id', value: session.id },
]
