import { type Action, actionOf } from '../../flows/action.ts'
import type { Fields } from '../../flows/field.ts'
import type { Done, Flow, Form, FormField, Texts } from '../../flows/flow.ts'
import { openly } from '../../flows/form.ts'
import type { Desk, DeskState } from '../desk.ts'
import { disabledReasonOf } from '../disabled-reason.ts'
import { faultOf } from '../fault.ts'
import { readOptions } from '../field-options.ts'
import { portsOf, serverOf } from '../flow-ports.ts'
import type { Item } from './menu.ts'
import { Silence, type Talk } from './talk.ts'

/** What every part of the conversation works with. */
export interface Front {
  readonly desk: Desk
  readonly talk: Talk
  readonly isReadOnly: boolean
}

/** A flow without fields as a line of a menu: asks, does it, says what was done and the command for it. */
export function itemOf<S, F extends Fields, V, R extends object>(
  front: Front,
  flow: Flow<S, F, V, R>,
  {
    subjects,
    view,
    label = flow.title,
  }: { readonly subjects: readonly S[]; readonly view?: V; readonly label?: string },
): Item {
  const action = actionOf(flow, subjects, view)
  return { label, disabledReason: disabledReasonOf(action, front.isReadOnly), run: () => perform(front, action) }
}

async function perform(front: Front, action: Action): Promise<void> {
  const { desk, talk } = front
  if (!(await isConfirmed(front, action))) return talk.say('Nothing was done.')
  await attempt(front, async () => {
    tell(talk, await action.run(portsOf(desk)), action.command)
  })
  await desk.load()
}

/** What was done, the command for it, and what is worth knowing beside it. */
function tell(talk: Talk, { sentence, notes = [] }: Done, command: string): void {
  talk.say(`${sentence}. The same as: ${command}`)
  for (const note of notes) talk.say(`${note}.`)
}

async function isConfirmed({ talk }: Front, { question, word }: Action): Promise<boolean> {
  if (!question) return true
  talk.say(question)
  if (word !== undefined) return (await talk.ask(`Type ${word} to do it:`)) === word
  return /^y(es)?$/i.test(await talk.ask('y for yes, anything else for no:'))
}

/** A form as a line of a menu. An empty answer keeps what is there; where nothing is, it cancels. */
export function formItem(front: Front, form: (state: DeskState) => Form): Item {
  const { title, disabledReason } = form(front.desk.state)
  return {
    label: title,
    disabledReason: disabledReasonOf({ writes: true, disabledReason }, front.isReadOnly),
    run: () => fill(front, form),
  }
}

async function fill(front: Front, formOf: (state: DeskState) => Form): Promise<void> {
  const { desk, talk } = front
  const first = formOf(desk.state)
  const texts: Record<string, string> = { server: serverOf(desk), ...first.initial }
  talk.say(`${first.title}. An empty answer keeps what stands in brackets, or cancels.`)
  if (first.readsLatest) await desk.load()
  const form = formOf(desk.state)
  if (form.note) talk.say(form.note)
  for (const field of form.fields) {
    const answer = await askField(front, { form, field, texts })
    if (answer === undefined) return talk.say('Cancelled, nothing was sent.')
    texts[field.name] = answer
  }
  await attempt(front, () => send(front, form, texts), openly(form, texts))
  await desk.load()
}

async function send(front: Front, { submit, command }: Form, texts: Texts): Promise<void> {
  const { desk, talk } = front
  const done = await submit(portsOf(desk), texts)
  tell(talk, done, command(texts))
  await desk.load()
  if (done.next) await offer(front, done.next, done.nextWords)
}

/** The form that follows, for who wants it now. */
async function offer(front: Front, form: Form, words = 'What follows'): Promise<void> {
  front.talk.say(`${words}: ${form.title}. It is in the menus too.`)
  if (/^y(es)?$/i.test(await front.talk.ask('y to do it now, anything else for later:'))) await fill(front, () => form)
}

interface Asked {
  readonly form: Form
  readonly field: FormField
  readonly texts: Texts
}

/** Asks until the answer can be sent; undefined when the person gives none and there was none. */
async function askField({ talk }: Front, asked: Asked): Promise<string | undefined> {
  const { name, isSecret } = asked.field
  const before = asked.texts[name] ?? ''
  const question = questionFor(asked, before)
  for (;;) {
    const answer = isSecret ? await talk.askSecret(question) : await talk.ask(question)
    const { value, problem } = judge(asked, meantBy(asked, answer, before))
    if (!problem) return value
    if (answer === '') return undefined
    talk.say(`${problem}.`)
  }
}

function questionFor(asked: Asked, before: string): string {
  const label = labelOf(asked.field)
  if (!before) return `${label}:`
  return `${label} [${before}${isRemovable(asked) ? '; - removes it' : ''}]:`
}

/** An empty answer keeps what is there, a dash removes it. */
function meantBy(asked: Asked, answer: string, before: string): string {
  if (answer === '') return before
  return answer === '-' && isRemovable(asked) ? '' : answer
}

/** Whether it may be left empty. */
const isRemovable = ({ form, field: { name, isOptional }, texts }: Asked): boolean =>
  isOptional && form.problems({ ...texts, [name]: '' })[name] === undefined

/** The value that an answer stands for, and what is wrong with it. */
function judge(
  { form, field, texts }: Asked,
  text: string,
): { readonly value: string; readonly problem?: string | undefined } {
  const read = field.options && text !== texts[field.name] ? readOptions(field, text) : { value: text }
  if ('problem' in read) return { value: '', problem: read.problem }
  const { value } = read
  return { value, problem: form.problems({ ...texts, [field.name]: value })[field.name] }
}

/** What is asked: with options, these, and those that are refused with the reason. */
function labelOf({ label, kind, options }: FormField): string {
  if (kind === 'toggle') return `${label} (yes or no)`
  if (!options) return label
  const names = options.map(
    (option) => option.label + (option.disabledReason ? ` – refused: ${option.disabledReason}` : ''),
  )
  return `${label} (${names.join(', ')}${kind === 'list' ? '; several with commas' : ''})`
}

/** Does something; its failure is said, with the form that mends it, and the conversation goes on. */
export async function attempt(front: Front, action: () => Promise<void>, texts: Texts = {}): Promise<void> {
  const { talk } = front
  try {
    await action()
  } catch (error) {
    if (error instanceof Silence) throw error
    const { sentence, hint, offer: mending } = faultOf(error)
    talk.say(`That did not work: ${sentence}.`.replace('..', '.'))
    if (hint) talk.say(hint)
    if (mending) await offer(front, mending(texts))
  }
}
