import { type Act, refusalOf } from '../acts.ts'
import type { Desk } from '../desk.ts'
import { faultOf } from '../fault.ts'
import { type FieldPlan, type FormName, forms, initialValues, problemsOf } from '../forms.ts'
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
  return { label, refusal: refusalOf(act, front.isReadOnly), run: () => perform(front, act, targets) }
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
  const word = act.word?.(desk)
  if (word !== undefined) return (await talk.ask(`Type ${word} to do it:`)) === word
  return /^y(es)?$/i.test(await talk.ask('y for yes, anything else for no:'))
}

/** A form as a line of a menu. An empty answer keeps what is there; where nothing is, it cancels. */
export const formItem = (front: Front, form: FormName): Item => ({
  label: forms[form].title,
  refusal: refusalOf({ isWrite: true }, front.isReadOnly),
  run: () => fill(front, form),
})

async function fill(front: Front, form: FormName): Promise<void> {
  const { desk, talk } = front
  const plan = forms[form]
  const values = initialValues(plan, desk)
  talk.say(`${plan.title}. An empty answer keeps what stands in brackets, or cancels.`)
  for (const field of plan.fields) {
    const answer = await askField(talk, field, values[field.name] ?? '')
    if (answer === undefined) return talk.say('Cancelled, nothing was sent.')
    values[field.name] = answer
  }
  await attempt(front, async () => talk.say(`${await plan.submit(desk, values)}. The same as: ${plan.command(values)}`))
  await desk.load()
}

/** Asks until the answer can be sent; undefined when the person gives none and there was none. */
async function askField(talk: Talk, field: FieldPlan, before: string): Promise<string | undefined> {
  for (;;) {
    const label = before ? `${field.label} [${before}]:` : `${field.label}:`
    const answer = field.isSecret ? await talk.askSecret(label) : await talk.ask(label)
    const value = answer === '' ? before : answer
    const problem = problemsOf({ fields: [field] }, { [field.name]: value })[field.name]
    if (!problem) return value
    if (answer === '') return undefined
    talk.say(`${problem}.`)
  }
}

/** Does something; its failure is said, and the conversation goes on. */
export async function attempt({ talk }: Front, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (error instanceof Silence) throw error
    const { sentence, hint } = faultOf(error)
    talk.say(`That did not work: ${sentence}.`.replace('..', '.'))
    if (hint) talk.say(hint)
  }
}
