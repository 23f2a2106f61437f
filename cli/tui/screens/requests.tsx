import { relativeTime } from '../../output/time.ts'
import type { TableRow } from '../components/table.tsx'
import { useList } from '../hooks/use-list.ts'
import { useAppState, useShell } from '../hooks/use-shell.ts'
import type { Column } from '../state/columns.ts'
import type { LoggedRequest } from '../state/request-log.ts'
import { equivalentCommand } from '../text/equivalents.ts'
import { requestDetail, timesText } from '../text/request-text.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { Page, type ScreenProps } from './page.tsx'
import { requestChoices } from './request.tsx'

/** What this run asked the service. */
export function RequestsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const { requests } = useAppState()
  const height = shell.height - listOverhead
  const list = useList({ items: requests, idOf, textOf, height, columns })
  const { selected } = list
  return (
    <Page
      screen="requests"
      isActive={isActive}
      // The program asks something at once.
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
      <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} empty="Nothing was asked yet" />
    </Page>
  )
}

const idOf = ({ id }: LoggedRequest): string => id
const textOf = (request: LoggedRequest): string => `${request.method} ${request.path} ${equivalentCommand(request)}`

/** How a request ended, in one word; and how often in a row. */
const answerOf = (request: LoggedRequest): string => `${request.status ?? 'none'}${timesText(request)}`

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
  const when = relativeTime(at, Date.now())
  const cells = [
    equivalentCommand(request),
    answerOf(request),
    `${Math.round(milliseconds)} ms`,
    when,
    `${method} ${path}`,
  ]
  return { id, cells, tone: isGood ? 'plain' : 'danger' }
}
