import { Line } from '../components/words.tsx'
import type { KeyScope } from '../keys/keys.ts'
import { Page } from './page.tsx'

/** In place of a screen that needs a session. */
export function SignedOutScreen({ screen, isActive }: { readonly screen: KeyScope; readonly isActive: boolean }) {
  return (
    <Page screen={screen} isActive={isActive} intents={{}}>
      <Line
        spans={[
          { text: 'Nobody is signed in. ' },
          { text: '2', tone: 'accent' },
          { text: ' lists the accounts and signs in.' },
        ]}
      />
    </Page>
  )
}
