import { Line } from '../components/words.tsx'
import { type Shell, useAppState, useShell } from '../hooks/use-shell.ts'
import type { LoggedRequest } from '../state/request-log.ts'
import type { Choice } from '../state/shell-state.ts'
import { equivalentCommand, equivalentCurl } from '../text/equivalents.ts'
import { requestDetail } from '../text/request-text.ts'
import { DetailView } from './detail-pane.tsx'
import { Page } from './page.tsx'

/** One request, as a command and as curl. */
export function RequestScreen({ isActive, subject }: { readonly isActive: boolean; readonly subject: string }) {
  const shell = useShell()
  const request = useAppState().requests.find(({ id }) => id === subject)
  return (
    <Page
      screen="request"
      isActive={isActive}
      actions={request && { title: request.path, choices: requestChoices(request, shell) }}
      intents={{
        'copy-id': () => shell.copy(request?.requestId ?? '', 'the request id'),
        'copy-command': () => request && shell.copy(equivalentCommand(request), 'the command'),
      }}
    >
      {request ? (
        <DetailView detail={requestDetail(request)} />
      ) : (
        <Line spans={[{ text: 'This request is no longer kept' }]} />
      )}
    </Page>
  )
}

/** What can be done with a request that was made. */
export const requestChoices = (request: LoggedRequest, { copy }: Shell): readonly Choice[] => [
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
