import { Box } from 'ink'
import { escapeControls } from '../../output/escape-controls.ts'
import { displayWidth, truncateMiddle } from '../../output/width.ts'
import { useLayout } from '../hooks/use-size.ts'
import { symbols, type Tone } from '../theme.ts'
import { gapWidth } from './columns.ts'
import { Line, type Span, Spinner } from './primitives.tsx'

type Link = 'connecting' | 'online' | 'offline'

interface HeaderProps {
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
  /** Of several, how many are done. It stands in for the state of the connection. */
  readonly progress?: string | undefined
}

const tones: Readonly<Record<Link, Tone>> = { connecting: 'muted', online: 'good', offline: 'danger' }
/** A service's address without the scheme and the default path. */
const shortServer = (server: string): string => server.replace(/^https?:\/\//, '').replace(/\/api\/auth\/?$/, '')

const separator: Span = { text: '  ·  ', tone: 'muted' }

/** A part of the top line. */
interface Part extends Span {
  /** Where there is too little room, the part with the lowest rank gives way first. */
  readonly rank: number
  /** In fewer columns it would say nothing. */
  readonly least: number
}

/** The top line: the server, the account, and the state of the connection. Who is impersonated stands first. */
export function Header(props: HeaderProps) {
  const { impersonating, link, isBusy, progress } = props
  const state = progress ?? link
  const { width } = useLayout()
  const parts = partsOf(props)
  const first = parts.filter(({ rank }) => rank >= loudRank)
  const isTight = impersonating !== undefined && widthOf(first) > width - gapWidth - state.length - 2
  const shown = fitParts(isTight ? first : parts, width - gapWidth - (isTight ? 1 : state.length + 2))
  return (
    <Box justifyContent="space-between" columnGap={gapWidth}>
      <Box flexShrink={1} overflow="hidden" height={1}>
        <Line spans={shown.flatMap((part, index) => (index > 0 ? [separator, part] : [part]))} />
      </Box>
      <Box flexShrink={0}>
        {isBusy && <Spinner />}
        <Line spans={[{ text: `${isBusy ? '' : symbols[link]}${isTight ? '' : ` ${state}`}`, tone: tones[link] }]} />
      </Box>
    </Box>
  )
}

/** From this rank on, a part decides what the next key does. */
const loudRank = 4

function partsOf({ server, account, organization, impersonating, isReadOnly }: HeaderProps): readonly Part[] {
  const loud = {
    text: `IMPERSONATING ${impersonating}`,
    isBold: true,
    tone: 'danger',
    rank: loudRank,
    least: 1,
  } as const
  const parts: readonly Part[] = [
    ...(impersonating === undefined ? [] : [loud]),
    { text: 'postern', isBold: true, tone: 'accent', rank: 2, least: 'postern'.length },
    ...(impersonating === undefined ? whoOf(account) : []),
    { text: shortServer(server), tone: 'muted', rank: 0, least: 8 },
    ...(organization === undefined ? [] : [{ text: organization, rank: 1, least: 8 }]),
    ...(isReadOnly ? [{ text: 'read-only', tone: 'warning', rank: loudRank + 1, least: 1 } as const] : []),
  ]
  return parts.map((part) => ({ ...part, text: escapeControls(part.text) }))
}

function whoOf(account: HeaderProps['account']): readonly Part[] {
  if (account === undefined) return []
  return [{ text: account ?? 'signed out', tone: account ? 'plain' : 'muted', rank: 3, least: 8 }]
}

const widthOf = (parts: readonly Part[]): number => displayWidth(parts.map(({ text }) => text).join(separator.text))

/** Shortens or leaves out what matters least until the rest fits. */
function fitParts(parts: readonly Part[], room: number): readonly Part[] {
  const shown = [...parts]
  for (const part of [...parts].sort((one, other) => one.rank - other.rank)) {
    const excess = widthOf(shown) - room
    if (excess <= 0) break
    const left = displayWidth(part.text) - excess
    const cut = left < part.least ? [] : [{ ...part, text: truncateMiddle(part.text, left) }]
    shown.splice(shown.indexOf(part), 1, ...cut)
  }
  return shown
}
