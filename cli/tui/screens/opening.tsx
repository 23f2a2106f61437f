import { Box } from 'ink'
import { Footer } from '../components/footer.tsx'
import { Header } from '../components/header.tsx'
import { Rule } from '../components/rule.tsx'
import { useLayout } from '../hooks/use-size.ts'
import { screenFooterOf } from '../keys/key-text.ts'
import type { NumberedScreen } from '../keys/names.ts'
import { shortServer } from '../text/short-server.ts'
import { routeTitle } from './route-title.ts'
import { Surround } from './surround.tsx'
import { TooSmall } from './too-small.tsx'

export interface OpeningProps {
  readonly server: string
  readonly screen: NumberedScreen
  readonly isReadOnly: boolean
}

/** The first frame, painted before the screens are read: the frame that they will have around them. Keys wait for them. */
export function Opening({ server, screen, isReadOnly }: OpeningProps) {
  const { width, body, isNarrow, isTooSmall } = useLayout()
  if (isTooSmall) return <TooSmall />
  const keys = screenFooterOf(screen, true).map((key) => ({ ...key, isDisabled: false }))
  const top = (
    <Header
      server={shortServer(server)}
      account={undefined}
      organization={undefined}
      impersonating={undefined}
      isReadOnly={isReadOnly}
      link="connecting"
      isBusy={false}
    />
  )
  return (
    <Surround top={top} titles={[routeTitle({ screen }, {})]} here={screen} isAdmin={false}>
      <Box height={body} flexShrink={0} />
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Surround>
  )
}
