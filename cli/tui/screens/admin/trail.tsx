import { useMemo, useState } from 'react'
import type { AuditEventView } from '../../../../shared/audit.ts'
import { eventDetail, events, trailView } from '../../../flows/audit/resource.ts'
import type { Trail } from '../../../flows/audit/trail.ts'
import { useKeymap } from '../../hooks/use-keymap.ts'
import { useAppState, useShell } from '../../hooks/use-shell.ts'
import { useNow } from '../../hooks/use-time.ts'
import { useTrail } from '../../hooks/use-trail.ts'
import { withKey } from '../../keymap/key-text.ts'
import { DetailPage } from '../detail-page.tsx'
import type { ScreenProps } from '../page.tsx'
import { ResourceList } from '../resource-views.tsx'

const none: readonly never[] = []

/** An audit trail, newest first. A key follows it live. */
export function TrailScreen({ isActive, trail }: ScreenProps & { readonly trail: Trail }) {
  const shell = useShell()
  const { organizations = none } = useAppState()
  const keymap = useKeymap()
  const [isFollowed, follow] = useState(false)
  const { loaded, pages, isOut } = useTrail(trail, isFollowed && isActive)
  // Refreshes the ages.
  useNow(10_000)
  const { data, isLoading, shownError } = loaded
  const { command } = pages
  const view = useMemo(
    () => data && trailView(trail, data.items, { organizations, command }),
    [data, trail, organizations, command],
  )
  const toggle = () => {
    follow(!isFollowed)
    shell.say(isFollowed ? 'Following stopped' : 'Following: new events appear by themselves')
  }
  const label = isFollowed ? 'Stop following' : 'Follow'
  return (
    <ResourceList
      resource={events}
      screen="trail"
      loaded={{ data: view, isLoading, shownError }}
      pages={pages}
      note={isFollowed ? followNote(isOut) : undefined}
      isLive
      around={{ follow: toggle }}
      choices={[
        withKey(keymap, ['trail', 'follow'], { id: 'follow', label, hint: `${command} --follow`, run: toggle }),
      ]}
      isActive={isActive}
    />
  )
}

const followNote = (isOut: boolean): string => (isOut ? 'following; no answer, retries by itself' : 'following')

/** All details of one event. */
export function EventScreen({ isActive, event }: ScreenProps & { readonly event: AuditEventView }) {
  const shell = useShell()
  return (
    <DetailPage
      screen="event"
      isActive={isActive}
      intents={{ 'copy-id': () => shell.copy(event.id, 'the id of the event') }}
      detail={eventDetail(event)}
    />
  )
}
