import { type Act, refusalOf } from '../acts.ts'
import type { Desk } from '../desk.ts'
import { faultOf } from '../fault.ts'
import { readOptions } from '../field-options.ts'
import { type FieldPlan, initialValues, type Next, openly, problemsOf, type Values } from '../form-plan.ts'
import { forms } from '../forms.ts'
import type { FormName } from '../keys.ts'
import type { Item } from './menu.ts'
import { Silence, type Talk } from './talk.ts'

/** What every part of the conversation works with. */
export interface Front {
  readonly desk: Desk
  readonly talk: Talk
  readonly isReadOnly: boolean
}

/** An act as a line of a menu: asks, does it, says what was done and the command for it. */
export function itemOf<T>(front: Front, act: Act<T>, targets: readonly T[], label = act.label): Item {
  return { label, refusal: refusalOf(act, front.isReadOnly, front.desk), run: () => perform(front, act, targets) }
}

async function perform<T>(front: Front, act: Act<T>, targets: readonly T[]): Promise<void> {
  const { desk, talk } = front
  if (!(await isConfirmed(front, act, targets))) return talk.say('Nothing was done.')
  await attempt(front, async () => {
    await act.run(desk, targets)
    talk.say(`${act.done(targets)}. The same as: ${act.command(targets)}`)
  })
  await desk.load()
}

async function isConfirmed<T>({ desk, talk }: Front, act: Act<T>, targets: readonly T[]): Promise<boolean> {
  if (!act.question) return true
  talk.say(act.question(targets))
  const word = act.word?.(desk, targets)
  if (word !== undefined) return (await talk.ask(`Type ${word} to do it:`)) === word
  return /^y(es)?$/i.test(await talk.ask('y for yes, anything else for no:'))
}

/** A form as a line of a menu. An empty answer keeps what is there; where nothing is, it cancels. */
export const formItem = (front: Front, form: FormName, own: Own = {}): Item => ({
  label: forms[form].title,
  refusal: refusalOf({ isWrite: true }, front.isReadOnly) ?? own.refusal,
  run: () => fill(front, form, own.values),
})

/** What a form knows already, and why it is not to be had now. */
interface Own {
  readonly values?: Values
  readonly refusal?: string | undefined
}

async function fill(front: Front, form: FormName, given: Values = {}): Promise<void> {
  const { desk, talk } = front
  const plan = forms[form]
  const values = initialValues(plan, desk, given)
  talk.say(`${plan.title}. An empty answer keeps what stands in brackets, or cancels.`)
  if (plan.isLatest) await desk.load()
  if (plan.note) talk.say(plan.note(desk))
  for (const field of plan.fields) {
    const answer = await askField(front, field, values)
    if (answer === undefined) return talk.say('Cancelled, nothing was sent.')
    values[field.name] = answer
  }
  await attempt(front, () => send(front, form, values), openly(plan, values))
  await desk.load()
}

async function send(front: Front, form: FormName, values: Values): Promise<void> {
  const { desk, talk } = front
  const { submit, command } = forms[form]
  const { sentence, next } = await submit(desk, values)
  talk.say(`${sentence}. The same as: ${command(values)}`)
  await desk.load()
  if (next) await offer(front, next)
}

/** The form that follows, for who wants it now. */
async function offer(front: Front, { form, values }: Next): Promise<void> {
  front.talk.say(`What follows: ${forms[form].title}. It is in the menus too.`)
  if (/^y(es)?$/i.test(await front.talk.ask('y to do it now, anything else for later:')))
    await fill(front, form, values)
}

/** Asks until the answer can be sent; undefined when the person gives none and there was none. */
async function askField({ desk, talk }: Front, field: FieldPlan, values: Values): Promise<string | undefined> {
  const { name, isSecret } = field
  const before = values[name] ?? ''
  const label = labelOf(field, values)
  for (;;) {
    const question = before ? `${label} [${before}]:` : `${label}:`
    const answer = isSecret ? await talk.askSecret(question) : await talk.ask(question)
    const { value, problem } = judge({ desk, field, values }, answer === '' ? before : answer)
    if (!problem) return value
    if (answer === '') return undefined
    talk.say(`${problem}.`)
  }
}

interface Asked {
  readonly desk: Desk
  readonly field: FieldPlan
  readonly values: Values
}

/** The value that an answer stands for, and what is wrong with it. */
function judge(
  { desk, field, values }: Asked,
  text: string,
): { readonly value: string; readonly problem?: string | undefined } {
  const read = field.options && text !== values[field.name] ? readOptions(field, values, text) : { value: text }
  if ('problem' in read) return { value: '', problem: read.problem }
  const { value } = read
  return { value, problem: problemsOf({ fields: [field] }, { ...values, [field.name]: value }, desk)[field.name] }
}

/** What is asked: with options, these, and those that are refused with the reason. */
function labelOf({ label, isSwitch, options, isSeveral }: FieldPlan, values: Values): string {
  if (isSwitch) return `${label} (yes or no)`
  if (!options) return label
  const names = options(values).map((option) => option.label + (option.refusal ? ` – refused: ${option.refusal}` : ''))
  return `${label} (${names.join(', ')}${isSeveral ? '; several with commas' : ''})`
}

/** Does something; its failure is said, with the form that mends it, and the conversation goes on. */
export async function attempt(front: Front, act: () => Promise<void>, values: Values = {}): Promise<void> {
  const { talk } = front
  try {
    await act()
  } catch (error) {
    if (error instanceof Silence) throw error
    const { sentence, hint, offer: form } = faultOf(error)
    talk.say(`That did not work: ${sentence}.`.replace('..', '.'))
    if (hint) talk.say(hint)
    if (form) await offer(front, { form, values })
  }
}
