import { Box } from 'ink'
import { Facts } from '../components/facts.tsx'
import { Line, Prose } from '../components/words.tsx'
import { useAppState } from '../hooks/use-app-state.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import type { LoggedRequest } from '../state/app-store.ts'
import type { Choice } from '../state/overlays.ts'
import { equivalentCommand, equivalentCurl } from '../text/equivalents.ts'
import { fullTime } from '../text/session-text.ts'
import { Page } from './page.tsx'

/** One request, as a command and as curl. */
export function RequestScreen({ isActive, subject }: { readonly isActive: boolean; readonly subject: string }) {
  const shell = useShell()
  const request = useAppState().requests.find(({ id }) => id === subject)
  return (
    <Page
      screen="request"
      isActive={isActive}
      intents={{
        actions: () =>
          request && shell.show({ kind: 'picker', title: request.path, choices: requestChoices(request, shell) }),
        'copy-id': () => shell.copy(request?.requestId ?? '', 'the request id'),
        'copy-command': () => request && shell.copy(equivalentCommand(request), 'the command'),
      }}
    >
      {request ? <Whole request={request} /> : <Line spans={[{ text: 'This request is no longer kept' }]} />}
    </Page>
  )
}

const Whole = ({ request }: { readonly request: LoggedRequest }) => (
  <Box flexDirection="column" rowGap={1}>
    <Facts
      facts={[
        { label: 'Request', value: `${request.method} ${request.path}` },
        { label: 'Server', value: request.server },
        { label: 'Answer', value: request.status === undefined ? 'none came' : String(request.status) },
        { label: 'Took', value: `${Math.round(request.milliseconds)} ms` },
        { label: 'When', value: fullTime(request.at) },
        { label: 'Request id', value: request.requestId ?? '-' },
      ]}
    />
    <Prose text={equivalentCommand(request)} tone="accent" />
    <Prose text={equivalentCurl(request, request.server)} tone="muted" />
  </Box>
)

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
    run: () => copy(equivalentCurl(request, request.server), 'the curl line'),
  },
]
