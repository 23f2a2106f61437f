import { Box } from 'ink'
import { useState } from 'react'
import { Confirm } from '../components/confirm.tsx'
import { SecretView, TakeoverView } from '../components/dialog.tsx'
import { Footer } from '../components/footer.tsx'
import { Help } from '../components/help.tsx'
import { Picker } from '../components/picker.tsx'
import { Blank, Rule } from '../components/primitives.tsx'
import { DetailsView, ErrorView } from '../components/reading.tsx'
import { WaitingView } from '../components/waiting.tsx'
import { offeredForm } from '../forms/forms.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { runChoice, type Shell, useShell } from '../hooks/use-shell.ts'
import { footerKeysOf, keySections, mouseSection } from '../keymap/key-text.ts'
import type { Keymap } from '../keymap/keymap.ts'
import type { KeyScope } from '../keymap/names.ts'
import { type Choice, formRoute, type Overlay } from '../state/shell-state.ts'
import { takeoverText } from '../state/takeover.ts'

/** An overlay with its own footer. */
export function OverlayView({ overlay }: { readonly overlay: Overlay }) {
  const { width, isNarrow } = useShell()
  const [isTyping, setTyping] = useState(false)
  const [isLong, setLong] = useState(false)
  const scope = isTyping ? 'typing' : scopeOf(overlay)
  const keymap = useKeymap()
  const isStill = !isLong && isRead(overlay)
  const keys = footerKeysOf(keymap, scope).filter(({ intent }) => !(isStill && intent === 'down'))
  return (
    <Box flexDirection="column">
      <Content overlay={overlay} isTyping={isTyping} setTyping={setTyping} onLong={setLong} />
      {!isNarrow && <Rule width={width} />}
      <Box height={1} flexShrink={0}>
        <Blank width={width} height={1} />
        <Footer keys={keys} width={width} />
      </Box>
    </Box>
  )
}

/** Whether it is a text that may be longer than the window. */
const isRead = ({ kind }: Overlay): boolean => kind === 'error' || kind === 'details'

interface ContentProps {
  readonly overlay: Overlay
  /** Whether the user is typing a filter for the help. */
  readonly isTyping: boolean
  readonly setTyping: (isTyping: boolean) => void
  readonly onLong: (isLong: boolean) => void
}

function Content({ overlay, isTyping, setTyping, onLong }: ContentProps) {
  const shell = useShell()
  const keymap = useKeymap()
  const { width, height } = shell
  // Not what it may cover.
  const close = () => shell.close(overlay)
  const room = { width, height }
  const closedFirst = (run: () => void) => () => {
    close()
    run()
  }
  const onPick = (choice: Choice) => runChoice(shell, { ...choice, run: closedFirst(choice.run) })
  switch (overlay.kind) {
    case 'help':
      return (
        <Help
          sections={helpOf(keymap, overlay, shell)}
          {...room}
          isTyping={isTyping}
          setTyping={setTyping}
          onClose={close}
        />
      )
    case 'picker':
      return (
        // One that another leads to begins anew. Late choices arrive under the same title, in place.
        <Picker
          key={overlay.title}
          title={overlay.title}
          note={overlay.note}
          choices={overlay.choices}
          isLoading={overlay.isLoading}
          isSearchable={overlay.isSearchable ?? false}
          {...room}
          onPick={onPick}
          onClose={close}
        />
      )
    case 'confirm':
      return <Confirm {...overlay} {...room} onYes={closedFirst(overlay.onYes)} onNo={close} />
    case 'waiting':
      return <WaitingView {...overlay} {...room} onCopy={() => shell.copy(overlay.task.url, 'the address')} />
    case 'secret':
      return (
        <SecretView {...overlay} {...room} onCopy={() => shell.copySecret(overlay.secret, 'the key')} onClose={close} />
      )
    case 'takeover':
      return (
        <TakeoverView {...takeoverText(overlay.takeover)} {...room} onClose={() => shell.store.acknowledgeTakeover()} />
      )
    case 'error':
      return (
        <ErrorView
          title={overlay.title}
          {...overlay.shownError}
          {...room}
          offer={offerOf(overlay, shell)}
          onLong={onLong}
          onClose={close}
        />
      )
    case 'details':
      return <DetailsView facts={overlay.facts} {...room} onLong={onLong} onClose={close} />
  }
}

/** Opens the form that fixes a failure. Closing it returns to the current screen with its input. */
function offerOf({ shownError, given }: Extract<Overlay, { kind: 'error' }>, { open }: Shell) {
  const form = shownError.offer && offeredForm(shownError.offer, given)
  return form && { label: form.title, onTake: () => open(formRoute(form)) }
}

type HelpOverlay = Extract<Overlay, { kind: 'help' }>

const helpOf = (keymap: Keymap, overlay: HelpOverlay, { store, below }: Shell) => [
  ...keyHelpOf(keymap, overlay, below === undefined),
  ...(store.ports.environment.hasMouse ? [mouseSection] : []),
]

const keyHelpOf = (keymap: Keymap, { scope, disabledReasons, hidden = [] }: HelpOverlay, isAtTop: boolean) =>
  keySections(keymap, scope, isAtTop).map(({ title, lines }) => ({
    title,
    lines: lines
      .filter(({ intent }) => !hidden.includes(intent))
      .map(({ intent, ...line }) => ({ ...line, disabledReason: disabledReasons[intent] })),
  }))

function scopeOf(overlay: Overlay): KeyScope {
  if (overlay.kind === 'picker') return overlay.isSearchable ? 'search' : 'picker'
  if (overlay.kind === 'confirm') return overlay.word === undefined ? 'confirm' : 'typed-confirm'
  if (overlay.kind === 'error') return overlay.shownError.offer ? 'offer' : 'error'
  return overlay.kind === 'details' ? 'error' : overlay.kind
}
