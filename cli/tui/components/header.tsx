import { Box } from 'ink'
import { symbols, type Tone } from '../theme.ts'
import { Line, type Span, Spinner } from './primitives.tsx'

type Link = 'connecting' | 'online' | 'offline'

export interface HeaderProps {
  readonly server: string
  /** Null when nobody is signed in. Undefined when that is not known yet, and then not shown. */
  readonly account: string | null | undefined
  /** Name of the active organization. */
  readonly organization: string | undefined
  /** Email of the impersonated user. */
  readonly impersonating: string | undefined
  readonly isReadOnly: boolean
  readonly link: Link
  /** The user is waiting for an answer. */
  readonly isBusy: boolean
}

const tones: Readonly<Record<Link, Tone>> = { connecting: 'muted', online: 'good', offline: 'danger' }
/** A service's address without the scheme and the default path. */
const shortServer = (server: string): string => server.replace(/^https?:\/\//, '').replace(/\/api\/auth\/?$/, '')

const separator: Span = { text: '  ·  ', tone: 'muted' }

/** The top line: the server, the account, and the state of the connection. */
export function Header({ server, account, organization, impersonating, isReadOnly, link, isBusy }: HeaderProps) {
  const spans: Span[] = [
    { text: 'postern', isBold: true, tone: 'accent' },
    separator,
    ...whoOf(account, impersonating).flatMap((span) => [span, separator]),
    { text: shortServer(server), tone: 'muted' },
    ...(organization === undefined ? [] : [separator, { text: organization }]),
    ...(isReadOnly ? [separator, { text: 'read-only', tone: 'warning' } as const] : []),
  ]
  return (
    <Box justifyContent="space-between" columnGap={2}>
      <Box flexShrink={1} overflow="hidden" height={1}>
        <Line spans={spans} />
      </Box>
      <Box flexShrink={0}>
        {isBusy && <Spinner />}
        <Line spans={[{ text: `${isBusy ? '' : symbols[link]} ${link}`, tone: tones[link] }]} />
      </Box>
    </Box>
  )
}

function whoOf(account: HeaderProps['account'], impersonating: string | undefined): readonly Span[] {
  if (impersonating !== undefined) return [{ text: `IMPERSONATING ${impersonating}`, tone: 'danger', isBold: true }]
  if (account === undefined) return []
  return [{ text: account ?? 'signed out', tone: account ? 'plain' : 'muted' }]
}
