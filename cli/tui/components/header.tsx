import { Box } from 'ink'
import { displayWidth, truncateMiddle } from '../../output/width.ts'
import { useLayout } from '../hooks/use-size.ts'
import { symbols, type Tone } from '../theme.ts'
import { gapWidth } from './columns.ts'
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

/** The top line: the server, the account, and the state of the connection. Who is impersonated stands first. */
export function Header(props: HeaderProps) {
  const { impersonating, link, isBusy } = props
  const { width } = useLayout()
  const loud = impersonating === undefined ? '' : `IMPERSONATING ${impersonating}`
  const isTight = loud !== '' && displayWidth(loud) > width - gapWidth - link.length - 2
  const shown: Span = { text: truncateMiddle(loud, width - gapWidth - 1), isBold: true, tone: 'danger' }
  return (
    <Box justifyContent="space-between" columnGap={gapWidth}>
      <Box flexShrink={1} overflow="hidden" height={1}>
        <Line spans={isTight ? [shown] : [...(loud ? [shown, separator] : []), ...factsOf(props)]} />
      </Box>
      <Box flexShrink={0}>
        {isBusy && <Spinner />}
        <Line spans={[{ text: `${isBusy ? '' : symbols[link]}${isTight ? '' : ` ${link}`}`, tone: tones[link] }]} />
      </Box>
    </Box>
  )
}

const factsOf = ({ server, account, organization, impersonating, isReadOnly }: HeaderProps): readonly Span[] => [
  { text: 'postern', isBold: true, tone: 'accent' },
  separator,
  ...(impersonating === undefined ? whoOf(account).flatMap((span) => [span, separator]) : []),
  { text: shortServer(server), tone: 'muted' },
  ...(organization === undefined ? [] : [separator, { text: organization }]),
  ...(isReadOnly ? [separator, { text: 'read-only', tone: 'warning' } as const] : []),
]

function whoOf(account: HeaderProps['account']): readonly Span[] {
  if (account === undefined) return []
  return [{ text: account ?? 'signed out', tone: account ? 'plain' : 'muted' }]
}
