import type { AuditEventView } from '../../../../shared/audit.ts'
import { eventDetail } from '../../details/event.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { DetailView } from '../detail-pane.tsx'
import { Page, type ScreenProps } from '../page.tsx'

/** One event of the audit trail, whole. */
export function EventScreen({ isActive, event }: ScreenProps & { readonly event: AuditEventView }) {
  const shell = useShell()
  return (
    <Page screen="event" isActive={isActive} intents={{ 'copy-id': () => shell.copy(event.id, 'the id of the event') }}>
      <DetailView detail={eventDetail(event)} />
    </Page>
  )
}
