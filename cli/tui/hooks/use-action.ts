import { useEffect, useRef, useState } from 'react'
import { type Action, actionOf, undoAction } from '../../flows/action.ts'
import type { Fields } from '../../flows/field.ts'
import type { Flow, FlowResult, Form } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import type { WaitFor } from '../../flows/waiting.ts'
import { cancelledError } from '../../output/cli-error.ts'
import { countText } from '../../output/words.ts'
import { disabledReasonOf, type Restrictions } from '../forms/disabled-reason.ts'
import { keyOf } from '../keymap/key-text.ts'
import type { Keymap } from '../keymap/keymap.ts'
import { type AppState, begunBy, ownerOf } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import { flowContextOf } from '../state/flow-context.ts'
import type { Choice, Overlay } from '../state/shell-state.ts'
import { Stoppable } from '../state/stoppable.ts'
import { useScreenKey } from './use-kept-state.ts'
import { useKeymap } from './use-keymap.ts'
import {
  restrictionsOf,
  runChoice,
  type Shell,
  showFailures,
  useAppState,
  useRestrictions,
  useShell,
} from './use-shell.ts'

interface ActionControl<S> {
  /** Why the action is disabled for the chosen subjects. */
  readonly disabledReason: string | undefined
  /** Refuses, asks for consent or runs it. `details` lists what exactly it affects. */
  readonly ask: (subjects: readonly S[], details: readonly string[]) => void
  readonly choice: (subjects: readonly S[], details: readonly string[]) => Choice
}

interface Ends {
  readonly onDone?: ((done: FlowResult) => void) | undefined
}

interface ActionOptions<S, V> extends Ends {
  readonly view?: V
  /** The subjects that `disabledReason` refers to. */
  readonly chosen?: readonly S[]
}

/** Runs a flow without fields: asks for consent, shows its command before and after, and explains a failure. */
export function useAction<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  { view, chosen = [], onDone }: ActionOptions<S, V> = {},
): ActionControl<S> {
  const mode = useRestrictions()
  const askTo = useRunAction()
  const about = (subjects: readonly S[]) => actionOf(flow, subjects, view as V)
  const ask = (subjects: readonly S[], details: readonly string[]) => askTo(about(subjects), { details, onDone })
  return {
    disabledReason: disabledReasonOf(about(chosen), mode),
    ask,
    choice: (subjects, details) => actionChoice(about(subjects), mode, () => ask(subjects, details)),
  }
}

/** Refuses an action, asks for consent if needed, and runs it. The result is shown with its command. */
export function useRunAction(): (action: Action, about: { readonly details: readonly string[] } & Ends) => void {
  const shell = useShell()
  const mode = useRestrictions()
  const keymap = useKeymap()
  const perform = usePerform()
  return (action, { details, onDone = () => {} }) => {
    const disabledReason = disabledReasonOf(action, mode)
    if (disabledReason) return shell.sayDisabled(action.label, disabledReason)
    if (action.count === 0) return shell.say('Nothing is selected')
    const notAllowed = begunBy(shell.store.state)
    const onYes = () => {
      const reason = notAllowed(shell.store.state)
      if (reason) return shell.sayDisabled(action.label, reason)
      shell.say(perform(action, onDone) ? progressOf(action, keymap) : `${action.label}: already in progress`)
    }
    const { question, command, word } = action
    if (!question) return onYes()
    shell.show({ kind: 'confirm', question, details, command, word, onYes })
  }
}

/** Undoes what was reported last, or says that nothing can be undone. */
export function useUndo(): () => void {
  const { inverse, say } = useShell()
  const run = useRunAction()
  return () => (inverse ? run(undoAction(inverse), { details: [] }) : say('There is nothing to undo'))
}

export const actionChoice = (action: Action, mode: Restrictions, run: () => void): Choice => {
  const { label, hint, destroys } = action
  const disabledReason = disabledReasonOf(action, mode)
  return { id: label, label, hint, destroys, disabledReason, run }
}

/** The notice while an action runs. What is done for several can be stopped in between. */
const progressOf = ({ label, count }: Action, keymap: Keymap): string =>
  count > 1
    ? `${label} ${countText(count)}… ${keyOf(keymap, 'shell', 'back')} stops it after the one in progress`
    : `${label}…`

/**
 * Runs actions in parallel, but each only once at a time, also if another screen began it. Returns whether it was
 * started.
 */
function usePerform(): (action: Action, onDone: (done: FlowResult) => void) => boolean {
  const shell = useShell()
  const { store, fail, report } = shell
  const ports = useFlowContext()
  const keymap = useKeymap()
  const screenKey = useScreenKey()
  const run = async (action: Action, onDone: (done: FlowResult) => void) => {
    const isOwn = ownerWatch(store)
    const stoppable = new Stoppable()
    try {
      const send = () => action.run(stoppable.begin(ports()))
      const done = await store.activity.duringSeveral(stoppable, screenKey, send)
      if (isOwn(done)) report(done, action.command)
      store.refresh()
      if (!isOwn(done)) return
      onDone(done)
      showFailures(shell, done)
    } catch (error) {
      fail(error)
      // Part of the action may have succeeded.
      store.refresh()
    }
  }
  return (action, onDone) =>
    store.activity.beginOnce(`${ownerOf(store.state)} ${action.command}`, () =>
      // After a failure nothing else replaces this notice.
      run(action, onDone).finally(() => shell.hush(progressOf(action, keymap))),
    )
}

/**
 * Returns whether a result still belongs to the user of the screens. Another account neither sees nor undoes it, unless
 * the action itself changed the account.
 */
export function ownerWatch({ state, snapshot }: Pick<AppStore, 'state' | 'snapshot'>): (done: FlowResult) => boolean {
  const owner = ownerOf(state)
  return ({ leadsHome = false }) => leadsHome || ownerOf(snapshot()) === owner
}

interface CallControl<A extends readonly unknown[]> {
  readonly run: (...values: A) => void
  readonly isBusy: boolean
}

interface CallCallbacks<R> {
  readonly onDone: (result: R) => void
  readonly onFailure: (error: unknown) => void
}

/** Runs one call at a time and handles its outcome. */
export function useCall<A extends readonly unknown[], R>(
  call: (...values: A) => Promise<R>,
  ends: CallCallbacks<R>,
): CallControl<A> {
  const { activity } = useShell().store
  const [isBusy, setBusy] = useState(false)
  const finish = (tell: () => void) => {
    setBusy(false)
    tell()
  }
  const run = (...values: A) => {
    if (isBusy) return
    setBusy(true)
    activity
      .during(() => call(...values))
      .then(
        (result) => finish(() => ends.onDone(result)),
        (error: unknown) => finish(() => ends.onFailure(error)),
      )
  }
  return { run, isBusy }
}

interface FormControl {
  readonly disabledReason: string | undefined
  /** Opens the form, or says why it is disabled. */
  readonly open: () => void
  readonly choice: Choice
}

/** A form that follows the app state, and why it is disabled. */
export function useForm(form: (state: AppState) => Form): FormControl {
  const shell = useShell()
  const choice = formChoice(shell, useAppState(), form)
  return { disabledReason: choice.disabledReason, open: () => runChoice(shell, choice), choice }
}

export function formChoice(
  shell: Pick<Shell, 'isReadOnly' | 'open'>,
  state: AppState,
  form: (state: AppState) => Form,
): Choice {
  const { title, hint, destroys, ...made } = form(state)
  return {
    id: title,
    label: title,
    hint: hint(),
    destroys,
    disabledReason: disabledReasonOf({ writes: true, ...made }, restrictionsOf(shell, state)),
    run: () => shell.open({ screen: 'form', form, title }),
  }
}

/**
 * Returns a function that makes the context for a flow. While the flow waits for a browser, an overlay shows it until
 * the user cancels.
 */
export function useFlowContext(): () => FlowContext {
  const shell = useShell()
  // Work that continues uses the current shell, not the one it started with.
  const latest = useRef(shell)
  useEffect(() => {
    latest.current = shell
  })
  return () =>
    flowContextOf(
      shell.store,
      waitWithOverlay(() => latest.current),
    )
}

const waitWithOverlay =
  (shell: () => Shell): WaitFor =>
  (task, work) => {
    const leaving = new AbortController()
    const { signal } = leaving
    const onCancel = () => leaving.abort(cancelledError('Cancelled: no longer waiting for the browser'))
    let shown: Overlay = { kind: 'waiting', task, note: undefined, onCancel }
    shell().show(shown)
    const say = (note: string | undefined) => {
      const next: Overlay = { kind: 'waiting', task, note, onCancel }
      shell().replace(shown, next)
      shown = next
    }
    // The overlay closes at once. A request that is still running ends by itself.
    const left = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return Promise.race([work({ signal, say }), left]).finally(() => shell().close(shown))
  }
