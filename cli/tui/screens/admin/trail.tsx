import { Box } from 'ink'
import { useMemo, useState } from 'react'
import type { AuditEventView } from '../../../../shared/audit.ts'
import type { Organization } from '../../../../shared/organization.ts'
import {
  actorLabel,
  actorSummary,
  affectedUserOf,
  detailsOf,
  eventText,
  impersonatorOf,
} from '../../../flows/audit/events.ts'
import { type NamesById, namesInEvents, namesOfOrganizations, withNames } from '../../../flows/audit/names.ts'
import type { Trail } from '../../../flows/resource.ts'
import type { Detail } from '../../../flows/resource-fields.ts'
import { fullTime, shortTime } from '../../../output/time.ts'
import { Line } from '../../components/primitives.tsx'
import type { TableRow } from '../../components/table.tsx'
import { useList } from '../../hooks/use-list.ts'
import { useAppState, useShell } from '../../hooks/use-shell.ts'
import { useNow } from '../../hooks/use-time.ts'
import { useTrail } from '../../hooks/use-trail.ts'
import type { Column } from '../../state/columns.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'
import { DetailView } from '../split-pane.tsx'

const none: readonly AuditEventView[] = []

/** Replaces ids with names if they are known. */
function withNamesOf(
  events: readonly AuditEventView[],
  { names = new Map() }: Trail,
  organizations: readonly Organization[],
): readonly AuditEventView[] {
  const known: NamesById = new Map([...namesInEvents(events), ...namesOfOrganizations(organizations), ...names])
  return events.map((event) => withNames(event, known))
}

interface TrailProps extends ScreenProps {
  readonly trail: Trail
  readonly title: string | undefined
}

/** An audit trail, newest first. `f` follows it live. */
export function TrailScreen({ isActive, trail, title = 'Audit trail' }: TrailProps) {
  const shell = useShell()
  const { organizations } = useAppState()
  const [isFollowed, follow] = useState(false)
  const { events, shownError, isOut } = useTrail(trail, isFollowed && isActive)
  // Refreshes the ages.
  useNow(10_000)
  const height = shell.height - listOverhead - 1
  const shown = useMemo(() => withNamesOf(events ?? none, trail, organizations ?? []), [events, trail, organizations])
  const isRoomy = shell.width >= wideEnough
  const list = useList({ items: shown, idOf, textOf, height, columns: isRoomy ? columns : firstColumns })
  const { selected } = list
  const open = () =>
    selected && shell.open({ screen: 'event', subject: selected.id, title: selected.event, event: selected })
  const toggle = () => {
    follow(!isFollowed)
    shell.say(isFollowed ? 'Following stopped' : 'Following: new events appear by themselves')
  }
  return (
    <Page
      screen="trail"
      isActive={isActive}
      isLoading={events === undefined && !shownError}
      detail={selected && eventDetail(selected)}
      list={list}
      actions={{
        title,
        choices: [
          {
            id: 'follow',
            key: 'f',
            label: isFollowed ? 'Stop following' : 'Follow',
            hint: `${trail.command} --follow`,
            run: toggle,
          },
        ],
      }}
      intents={{
        open,
        follow: toggle,
        'copy-id': () => selected && shell.copy(selected.id, 'the id of the event'),
        'copy-command': () => shell.copy(trail.command, 'the command'),
      }}
    >
      <Box flexDirection="column">
        <Line spans={[{ text: noteOf(isFollowed, isOut), tone: isFollowed ? 'good' : 'muted' }]} />
        {shown.length > 0 ? (
          <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} empty="No events" />
        ) : (
          <LoadNote isLoading={events === undefined && !shownError} shownError={shownError} empty="No events" />
        )}
      </Box>
    </Page>
  )
}

function noteOf(isFollowed: boolean, isOut: boolean): string {
  if (!isFollowed) return 'newest first'
  return isOut ? 'following; no answer, retries by itself' : 'following'
}

/** The most important columns first, since a narrow window shows no others. */
const firstColumns: readonly Column<AuditEventView>[] = [
  { title: 'Event', readFirst: true, value: eventText },
  { title: 'When', readFirst: true, value: ({ createdAt }) => createdAt },
  { title: 'Who', readFirst: true, value: actorText },
]
const columns: readonly Column<AuditEventView>[] = [
  ...firstColumns,
  { title: 'About', value: (event) => affectedUserOf(event) ?? '' },
  { title: 'Details', value: detailsOf },
]
/** Impersonation comes first, so that a narrow window does not cut it. */
function actorText(event: AuditEventView): string {
  const by = impersonatorOf(event)
  return by === null ? actorLabel(event) : `IMPERSONATED by ${by}: ${actorLabel(event)}`
}

/** Columns needed to show the whole table. */
const wideEnough = 78

const idOf = ({ id }: AuditEventView): string => id
const textOf = (event: AuditEventView): string =>
  [event.event, actorSummary(event), affectedUserOf(event), detailsOf(event), event.ipAddress, event.target].join(' ')

function rowOf(event: AuditEventView): TableRow {
  const when = shortTime(event.createdAt, Date.now())
  const cells = [eventText(event), when, actorText(event), affectedUserOf(event) ?? '', detailsOf(event)]
  return { id: event.id, cells, tone: event.impersonatorId === null ? 'plain' : 'warning' }
}

/** All details of one event. */
export function EventScreen({ isActive, event }: ScreenProps & { readonly event: AuditEventView }) {
  const shell = useShell()
  return (
    <Page screen="event" isActive={isActive} intents={{ 'copy-id': () => shell.copy(event.id, 'the id of the event') }}>
      <DetailView detail={eventDetail(event)} />
    </Page>
  )
}

/** One event with readable labels. */
const eventDetail = (event: AuditEventView): Detail => ({
  title: event.event,
  facts: [
    { label: 'Event', value: eventText(event) },
    { label: 'When', value: whenText(event) },
    { label: 'Who', value: actorSummary(event) },
    { label: 'About', value: affectedUserOf(event) ?? '-' },
    { label: 'Organization', value: event.organizationId ?? '-' },
    { label: 'Target', value: event.targetName ?? event.target ?? '-' },
    { label: 'Details', value: detailsOf(event) || '-' },
    { label: 'Address', value: event.ipAddress ?? '-' },
    { label: 'Client', value: event.userAgent ?? '-' },
    { label: 'Request', value: event.requestId },
    { label: 'ID', value: event.id },
  ],
})

/** The times of the first and the last of several equal actions. */
const whenText = ({ createdAt, lastAt, count }: AuditEventView): string =>
  count > 1 ? `${fullTime(createdAt)}, last ${fullTime(lastAt)}` : fullTime(createdAt)
