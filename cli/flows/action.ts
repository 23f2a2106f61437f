import { commandFor, hintAbout } from './command-line.ts'
import type { Fields, ValuesOf } from './field.ts'
import { type Flow, type FlowResult, type Inverse, isBlockedWhileImpersonating } from './flow.ts'
import type { FlowContext } from './flow-context.ts'
import { runEach } from './run-each.ts'

/** A flow without fields for one or several subjects, as a key or a menu entry. */
export interface Action {
  readonly label: string
  readonly writes: boolean
  /** The service refuses it during impersonation. */
  readonly isForOneself: boolean
  /** Why it is not available now. */
  readonly disabledReason: string | undefined
  /** The equivalent command. Made when it is asked for: it can name thousands. */
  readonly command: string
  /** The same for a line of a menu, which has no room for many. */
  readonly hint: string
  /** It asks for consent. */
  readonly destroys: boolean
  /** The confirmation question; undefined if it is harmless. Made when it is asked for, like the command. */
  readonly question: string | undefined
  /** The word to type before an irreversible action; undefined if a key is enough. */
  readonly word: string | undefined
  /** The number of subjects. */
  readonly count: number
  readonly run: (context: FlowContext) => Promise<FlowResult>
}

export function actionOf<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  subjects: readonly S[],
  view?: V,
): Action {
  const { title, isLocal, consent } = flow
  return {
    label: title,
    writes: !isLocal,
    isForOneself: isBlockedWhileImpersonating(flow),
    disabledReason: flow.disabledReason?.(subjects, view as V),
    get command() {
      return commandFor(flow, subjects)
    },
    hint: hintAbout(subjects, (few) => commandFor(flow, few)),
    destroys: consent !== undefined,
    get question() {
      return consent?.question(subjects)
    },
    get word() {
      return consent?.typed?.word(subjects)
    },
    count: subjects.length,
    run: (context) => runEach(flow, context, { subjects, values: {} as ValuesOf<F>, view }),
  }
}

/** Takes a change back. What it reports cannot be undone in turn. */
export const undoAction = ({ command, isForOneself, check, run }: Inverse): Action => ({
  label: 'Undo',
  writes: true,
  isForOneself,
  disabledReason: undefined,
  command,
  hint: command,
  destroys: false,
  question: undefined,
  word: undefined,
  count: 1,
  run: async (given) => {
    // Whoever is checked also undoes, even if the account is switched meanwhile.
    const connection = await given.signedIn()
    const context = { ...given, signedIn: async () => connection }
    await check(context)
    const { sentence, ...done } = await run(context)
    return { ...done, sentence: `Undone: ${sentence}` }
  },
})
