import { Box } from 'ink'
import { Confirm } from '../components/confirm.tsx'
import { ErrorView } from '../components/error-view.tsx'
import { Footer } from '../components/footer.tsx'
import { Help } from '../components/help.tsx'
import { Picker } from '../components/picker.tsx'
import { Rule } from '../components/rule.tsx'
import { WaitingView } from '../components/waiting-view.tsx'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { bindingsOf, footerOf, keyHelp, type OverlayName } from '../keys/keys.ts'
import type { Choice, Overlay } from '../state/overlays.ts'

/** What lies over the screen, in its place, with its own footer. */
export function OverlayView({ overlay }: { readonly overlay: Overlay }) {
  const { width, isNarrow } = useShell()
  const keys = footerOf(scopeOf(overlay)).map((key) => ({ ...key, isDisabled: false }))
  return (
    <Box flexDirection="column">
      <Content overlay={overlay} />
      {!isNarrow && <Rule width={width} />}
      <Footer keys={keys} width={width} />
    </Box>
  )
}

function Content({ overlay }: { readonly overlay: Overlay }) {
  const shell = useShell()
  const { width, height, close, sayDisabled } = shell
  const room = { width, height }
  const pick = (choice: Choice) => {
    if (choice.disabledReason) return sayDisabled(choice.label, choice.disabledReason)
    close()
    choice.run()
  }
  switch (overlay.kind) {
    case 'help':
      return <Help lines={helpLines(overlay)} {...room} onClose={close} />
    case 'picker':
      return (
        <Picker
          title={overlay.title}
          note={overlay.note}
          choices={overlay.choices}
          isSearchable={overlay.isSearchable ?? false}
          {...room}
          onPick={pick}
          onClose={close}
        />
      )
    case 'confirm':
      return <Confirm {...overlay} {...room} onNo={close} />
    case 'waiting':
      return <WaitingView {...overlay} {...room} onCopy={() => shell.copy(overlay.task.url, 'the address')} />
    case 'error':
      return <ErrorView {...overlay.shownError} {...room} offer={offerOf(overlay, shell)} onClose={close} />
  }
}

/** A form over the present one: closed, it leads back to what was typed there. */
function offerOf({ shownError, given }: Extract<Overlay, { kind: 'error' }>, { open }: Shell) {
  const form = shownError.offer?.(given)
  return form && { label: form.title, onTake: () => open({ screen: 'form', form: () => form, title: form.title }) }
}

const helpLines = ({ scope, disabledReasons }: Extract<Overlay, { kind: 'help' }>) => {
  const intents = bindingsOf(scope).map(({ intent }) => intent)
  return keyHelp(scope).map((line, index) => {
    const intent = intents[index]
    return { ...line, disabledReason: intent && disabledReasons[intent] }
  })
}

function scopeOf(overlay: Overlay): OverlayName {
  if (overlay.kind === 'picker') return overlay.isSearchable ? 'search' : 'picker'
  if (overlay.kind === 'confirm') return overlay.word === undefined ? 'confirm' : 'typed-confirm'
  if (overlay.kind === 'error') return overlay.shownError.offer ? 'offer' : 'error'
  return overlay.kind
}
