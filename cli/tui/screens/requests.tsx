import { shortTime } from '../../output/time.ts'
import { Line } from '../components/primitives.tsx'
import type { TableRow } from '../components/table.tsx'
import { useList } from '../hooks/use-list.ts'
import { type Shell, useAppState, useShell } from '../hooks/use-shell.ts'
import type { Column } from '../state/columns.ts'
import type { LoggedRequest } from '../state/request-log.ts'
import type { Choice } from '../state/shell-state.ts'
import { equivalentCommand, equivalentCurl, repeatText, requestDetail } from '../text/request-text.ts'
import { DetailPage } from './detail-page.tsx'
import { ListView, listOverhead } from './list-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

/** The requests of this run. */
export function RequestsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const { requests } = useAppState()
  const height = shell.height - listOverhead
  const list = useList({ items: requests, idOf, textOf, height, columns, isLive: true })
  const { selected } = list
  return (
    <Page
      screen="requests"
      isActive={isActive}
      // The program sends its first request at once.
      isLoading={requests.length === 0}
      detail={selected && requestDetail(selected)}
      list={list}
      actions={{ title: selected?.path ?? '', choices: selected ? requestChoices(selected, shell) : [] }}
      intents={{
        open: () => selected && shell.open({ screen: 'request', subject: selected.id }),
        'copy-id': () => shell.copy(selected?.requestId ?? '', 'the request id'),
        'copy-command': () => selected && shell.copy(equivalentCommand(selected), 'the command'),
      }}
    >
      <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} empty="No requests yet" />
    </Page>
  )
}

const idOf = ({ id }: LoggedRequest): string => id
const textOf = (request: LoggedRequest): string => `${request.method} ${request.path} ${equivalentCommand(request)}`

/** The status of a request, and how often it was repeated. */
const answerOf = (request: LoggedRequest): string => `${request.status ?? 'none'}${repeatText(request)}`

const columns: readonly Column<LoggedRequest>[] = [
  { title: 'Command', value: equivalentCommand },
  { title: 'Answer', value: answerOf },
  { title: 'Took', value: ({ milliseconds }) => milliseconds },
  { title: 'When', value: ({ at }) => at },
  { title: 'Request', value: ({ method, path }) => `${method} ${path}` },
]

function rowOf(request: LoggedRequest): TableRow {
  const { id, method, path, milliseconds, at, status } = request
  const isGood = status !== undefined && status < 400
  const when = shortTime(at, Date.now())
  const cells = [
    equivalentCommand(request),
    answerOf(request),
    `${Math.round(milliseconds)} ms`,
    when,
    `${method} ${path}`,
  ]
  return { id, cells, tone: isGood ? 'plain' : 'danger' }
}

/** One request, as a command and as curl. */
export function RequestScreen({ isActive, subject }: { readonly isActive: boolean; readonly subject: string }) {
  const shell = useShell()
  const request = useAppState().requests.find(({ id }) => id === subject)
  if (!request)
    return (
      <Page screen="request" isActive={isActive} intents={{}}>
        <Line spans={[{ text: 'This request is no longer in the log' }]} />
      </Page>
    )
  return (
    <DetailPage
      screen="request"
      isActive={isActive}
      actions={{ title: request.path, choices: requestChoices(request, shell) }}
      intents={{
        'copy-id': () => shell.copy(request.requestId ?? '', 'the request id'),
        'copy-command': () => shell.copy(equivalentCommand(request), 'the command'),
      }}
      detail={requestDetail(request)}
    />
  )
}

/** The actions on a logged request. */
const requestChoices = (request: LoggedRequest, { copy }: Shell): readonly Choice[] => [
  {
    id: 'command',
    label: 'Copy as command',
    hint: equivalentCommand(request),
    run: () => copy(equivalentCommand(request), 'the command'),
  },
  {
    id: 'curl',
    label: 'Copy as curl',
    hint: 'without its secrets',
    run: () => copy(equivalentCurl(request), 'the curl line'),
  },
]
