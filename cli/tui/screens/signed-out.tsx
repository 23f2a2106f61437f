import { Paragraph } from '../components/words.tsx'
import { offeredForm, signInForm } from '../forms/forms.ts'
import { useAppState, useShell } from '../hooks/use-shell.ts'
import { endNotice, whyNobody } from '../state/app-state.ts'
import { Page, type ScreenProps } from './page.tsx'

/** In place of a screen that needs a session, with the keys of home: those of that screen are about nothing now. */
export function SignedOutScreen({ isActive }: ScreenProps) {
  const { open, store } = useShell()
  const state = useAppState()
  const { current, ended } = state
  const offer = ended && endNotice(ended).offer
  const form = ended ? offer && offeredForm(offer, {}) : current && signInForm({ email: current.email })
  const email = ended?.account.email ?? current?.email
  const signIn = () => form && open({ screen: 'form', form: () => form, title: form.title })
  return (
    <Page screen="home" isActive={isActive} intents={{ open: signIn }}>
      <Paragraph
        spans={[
          { text: `${whyNobody(state, store.ports)} ` },
          ...(form ? [{ text: 'enter', tone: 'accent' as const }, { text: ` signs in as ${email}; ` }] : []),
          { text: '2', tone: 'accent' },
          { text: ' lists the accounts and signs in.' },
        ]}
      />
    </Page>
  )
}
