import { type Action, actionOf, undoAction } from '../../flows/action.ts'
import type { Fields } from '../../flows/field.ts'
import type { FieldTexts, Flow, FlowResult, Form, FormField, Inverse } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { withoutSecrets } from '../../flows/form.ts'
import { problemsByField, retryText } from '../../flows/refusals.ts'
import type { ScreenTarget } from '../../flows/resource.ts'
import { askUntilAccepted, type InteractiveSubmission } from '../../flows/submission.ts'
import { isCancelled } from '../../output/cli-error.ts'
import { withFullStop } from '../../output/words.ts'
import { disabledReasonOf, type Restrictions } from '../forms/disabled-reason.ts'
import { offeredForm } from '../forms/forms.ts'
import type { Keymap } from '../keymap/keymap.ts'
import { type AppState, begunBy, isImpersonating, ownerOf } from '../state/app-state.ts'
import type { AppStore } from '../state/app-store.ts'
import { fieldsAt } from '../state/declared-fields.ts'
import { flowContextOf, isServerKnown, serverOf } from '../state/flow-context.ts'
import { toShownError } from '../text/shown-error.ts'
import { askField, type FieldQuestion } from './field-question.ts'
import { InputEnded, type LineTerminal, leaveWord, QuestionLeft, waitInLines } from './line-terminal.ts'
import { fallbackIfLeft, type MenuItem } from './menu.ts'

/** The context of every part of the accessible conversation. */
export interface Conversation {
  readonly store: AppStore
  readonly terminal: LineTerminal
  readonly keymap: Keymap
  readonly isReadOnly: boolean
  /** Opens the part that matches a screen. */
  readonly open: (opening: ScreenTarget) => Promise<void>
}

export const restrictionsOf = ({ isReadOnly, store }: Conversation): Restrictions => ({
  isReadOnly,
  isImpersonating: isImpersonating(store.state),
})

const portsOf = ({ store, terminal }: Conversation): FlowContext =>
  flowContextOf(store, (task, work) => waitInLines(terminal, task, work))

/**
 * A menu item for a flow without fields: asks for consent, runs the flow, and reports the result with the equivalent
 * command.
 */
export function flowItem<S, F extends Fields, V, R extends object>(
  conversation: Conversation,
  flow: Flow<S, F, V, R>,
  {
    subjects,
    view,
    label = flow.title,
  }: { readonly subjects: readonly S[]; readonly view?: V; readonly label?: string },
): MenuItem {
  return { ...actionItem(conversation, actionOf(flow, subjects, view)), label }
}

export const actionItem = (conversation: Conversation, action: Action): MenuItem => ({
  label: action.label,
  disabledReason: disabledReasonOf(action, restrictionsOf(conversation)),
  run: () => perform(conversation, action),
})

async function perform(conversation: Conversation, action: Action): Promise<void> {
  const { store, terminal } = conversation
  const notAllowed = begunBy(store.state)
  if (!(await isConfirmed(conversation, action))) return terminal.say('Nothing was done.')
  const reason = notAllowed(store.state)
  if (reason) return terminal.say(`Nothing was done: ${reason}.`)
  await attemptOrReport(conversation, async () => {
    reportDone(conversation, await action.run(portsOf(conversation)), action.command)
  })
  await store.load()
}

/** Reports the result, the equivalent command, and notes worth knowing. */
function reportDone(conversation: Conversation, done: FlowResult, command: string): void {
  const { terminal } = conversation
  const { sentence, notes = [], secret, inverse, results = [] } = done
  terminal.say(`${sentence}. The same as: ${command}`)
  if (secret !== undefined) terminal.say(`It is shown once only, so store it safely: ${secret}`)
  for (const { input, problem } of results) terminal.say(withFullStop(`${input}: ${problem ?? 'done'}`))
  for (const note of notes) terminal.say(`${note}.`)
  offerUndo(conversation, inverse)
}

/** Until the next change by the same user. Not for a time: reading aloud takes long. */
function offerUndo(conversation: Conversation, inverse: Inverse | undefined): void {
  const { store, terminal, keymap } = conversation
  terminal.extraAnswer = undefined
  if (!inverse) return
  const undoWord = undoWordIn(keymap)
  const owner = ownerOf(store.state)
  const { run } = actionItem(conversation, undoAction(inverse))
  terminal.say(`${undoWord} instead of a number ${inverse.words}.`)
  terminal.extraAnswer = {
    label: undoWord,
    run: async () => {
      terminal.extraAnswer = undefined
      if (ownerOf(store.state) === owner) return run()
      terminal.say('Somebody else did that: there is nothing to undo.')
    },
  }
}

async function isConfirmed({ terminal }: Conversation, { question, word }: Action): Promise<boolean> {
  if (!question) return true
  terminal.say(question)
  if (word !== undefined) return (await fallbackIfLeft(terminal.ask(`Type ${word} to confirm:`), '')) === word
  return isYes(await fallbackIfLeft(terminal.ask('y for yes, anything else for no:'), ''))
}

/** The key that undoes in the screens, if it can be typed as a line that is no number. */
const undoWordIn = ({ shell }: Keymap): string =>
  shell.find(({ intent }) => intent === 'undo')?.keys.find((key) => /^[^\d.]$/.test(key)) ?? 'u'

const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer)

/** A menu item for a form. An empty answer keeps the current value, or cancels when there is none. */
export function formItem(conversation: Conversation, form: (state: AppState) => Form): MenuItem {
  const { title, isForOneself, disabledReason } = form(conversation.store.state)
  return {
    label: title,
    disabledReason: disabledReasonOf({ writes: true, isForOneself, disabledReason }, restrictionsOf(conversation)),
    run: () => fillForm(conversation, form),
  }
}

async function fillForm(conversation: Conversation, formOf: (state: AppState) => Form): Promise<void> {
  const { store, terminal } = conversation
  const first = formOf(store.state)
  const notAllowed = begunBy(store.state, first)
  const before: FieldTexts = { server: serverOf(store), ...first.initial }
  const title = first.about === undefined ? first.title : `${first.title}: ${first.about}`
  terminal.say(`${title}. An empty answer keeps what stands in brackets, or cancels; ${leaveWord} leaves it.`)
  if (first.readsLatest) await store.load()
  const known = formOf(store.state)
  if (known.note) terminal.say(known.note)
  const given = await askAll(conversation, known, before)
  const form = given ? await completed(conversation, known, given) : known
  const added = form.fields.filter(({ isOwn }) => isOwn)
  const texts = given && (await askAll(conversation, form, { ...form.initial, ...given }, added))
  if (!texts) return terminal.say('Cancelled, nothing was sent.')
  const reason = notAllowed(store.state)
  if (reason) return terminal.say(`Nothing was sent: ${reason}.`)
  await attemptOrReport(conversation, () => sendUntilAccepted(conversation, form, texts), withoutSecrets(form, texts))
  await store.load()
}

/** The form with the own fields of its service, which a person may have named in it. */
const completed = async ({ store }: Conversation, form: Form, { server = '' }: FieldTexts): Promise<Form> =>
  form.own ? (await fieldsAt(store, server))(form) : form

/** The texts with the user's answers. Undefined when the user gives up a field or leaves the form. */
const askAll = (
  conversation: Conversation,
  form: Form,
  before: FieldTexts,
  asked = form.fields,
): Promise<FieldTexts | undefined> => fallbackIfLeft(askEach(conversation, form, before, asked), undefined)

async function askEach(
  conversation: Conversation,
  form: Form,
  before: FieldTexts,
  asked: readonly FormField[],
): Promise<FieldTexts | undefined> {
  const { store, terminal } = conversation
  const fields = isServerKnown(store) ? asked.filter(({ kind }) => kind !== 'server') : asked
  const texts: Record<string, string> = { ...before }
  if (fields.length < asked.length) terminal.say(`At ${texts['server']}.`)
  for (let at = 0, field = fields[at]; field; field = fields[(at += 1)]) {
    const { name, repeats } = field
    // An empty answer accepts the proposed value.
    texts[name] ||= form.proposals(texts)[name] ?? ''
    const answer = await answerTo(conversation, { form, field, texts })
    if (answer === undefined) return undefined
    texts[name] = answer
    if (repeats === undefined || answer === texts[repeats]) continue
    // Nobody knows which of the two was mistyped.
    terminal.say(`${form.problems(texts)[name]}. Both are asked again.`)
    for (const wrong of [name, repeats]) texts[wrong] = ''
    at -= 2
  }
  return texts
}

async function answerTo(conversation: Conversation, asked: FieldQuestion): Promise<string | undefined> {
  const { label, repeats } = asked.field
  if (repeats === undefined) return askField(conversation.terminal, asked)
  return (await conversation.terminal.askSecret(`${label}:`)) || undefined
}

/** Asks again for the fields that the service refused. The other answers stay. */
async function sendUntilAccepted(conversation: Conversation, form: Form, first: FieldTexts): Promise<void> {
  const { store, terminal } = conversation
  const sending: InteractiveSubmission<FieldTexts, readonly [FlowResult, string], undefined> = {
    send: async (texts) => [await form.submit(portsOf(conversation), texts), form.command(texts)],
    refused: (refusal) => ({ ...form.refused(refusal), ...problemsByField(form, refusal) }),
    ask: async (texts, { problems, refusal }) => {
      if (refusal) terminal.say(`${retryText(refusal)}. Your other answers are kept.`)
      const refused = form.fields.filter(({ name }) => name in problems)
      const emptied = Object.fromEntries(refused.map(({ name }) => [name, '']))
      return askAll(conversation, form, { ...texts, ...emptied }, refused)
    },
  }
  const sent = await askUntilAccepted(sending, first)
  if (!sent) return terminal.say('Cancelled, nothing was done.')
  const [done, command] = sent
  reportDone(conversation, done, command)
  await store.load()
  if (done.next) await offerForm(conversation, done.next, done.nextWords)
}

async function offerForm(conversation: Conversation, form: Form, words = 'Next step'): Promise<void> {
  conversation.terminal.say(`${words}: ${form.title}. You also find it in the menus.`)
  if (isYes(await fallbackIfLeft(conversation.terminal.ask('y to do it now, anything else to do it later:'), '')))
    await fillForm(conversation, () => form)
}

/** Repeats a menu with fresh data until the user leaves it or is signed in as somebody else. */
export async function repeatMenu({ store }: Conversation, menu: () => Promise<boolean>): Promise<void> {
  const who = store.state.me?.user.id
  while ((await menu()) && store.state.me?.user.id === who);
}

/** Runs the action. Reports a failure, offers the form that fixes it, and continues the conversation. */
export async function attemptOrReport(
  conversation: Conversation,
  action: () => Promise<void>,
  texts: FieldTexts = {},
): Promise<void> {
  const { store, terminal } = conversation
  try {
    await action()
  } catch (error) {
    if (error instanceof InputEnded || error instanceof QuestionLeft) throw error
    if (isCancelled(error)) return terminal.say(`${error.message}.`)
    const { sentence, hint, status, offer: mending } = toShownError(error)
    terminal.say(withFullStop(`That did not work: ${sentence}`))
    if (hint) terminal.say(hint)
    // After the end of the session every menu leads back to the first one, whose numbers the hint names.
    if (status === 401) await store.load()
    if (mending) await offerForm(conversation, offeredForm(mending, texts))
  }
}
