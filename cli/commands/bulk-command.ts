import { canonicalEmail } from '../../shared/email.ts'
import type { Context } from '../context.ts'
import type { Field, Fields, ValuesOf } from '../flows/field.ts'
import { bulkFieldOf, type Flow, type FlowResult } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import { lastInOrder } from '../flows/run-several.ts'
import { usageError } from '../output/cli-error.ts'
import { runBulk } from './bulk.ts'
import { expandStdinLines } from './bulk-lines.ts'
import { type BulkRow, readFittingCsv, rowsOfCsv, withoutColumns } from './bulk-rows.ts'
import { keepOrganization } from './flow-context.ts'
import { consentOf, prepare } from './flow-preparation.ts'
import { askFlowConsent, type ConsentRequest } from './flow-questions.ts'
import { namingValueOf } from './naming-value.ts'
import { type Argv, invalidInput } from './ready-line.ts'

interface Bulk<S, F extends Fields> {
  readonly asked: ConsentRequest<S>
  readonly rows: readonly BulkRow<F>[]
}

/** Runs the flow for each input: the arguments, the lines of stdin, or the rows of a CSV file. */
export async function runForInputs<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  argv: Argv,
  csv: string | undefined,
): Promise<void> {
  const bulk = csv === undefined ? await readWords(context, flow, argv) : await readRows(context, flow, argv, csv)
  await performEach(context, flow, bulk)
}

async function readWords<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  argv: Argv,
): Promise<Bulk<S, F>> {
  const { asked, values } = await prepare(context, flow, argv)
  const inputs = await expandStdinLines(context.host, asked.words)
  // Nothing to end or to delete is as good as done. What is to be created was forgotten.
  if (inputs.length === 0 && flow.bulk !== 'subject')
    throw usageError('stdin (-) has no lines: nothing was created', 'Did the command before the pipe fail?')
  if (inputs.length === 0) context.out.note('stdin (-) has no lines: nothing was done')
  return { asked: { ...asked, words: inputs }, rows: inputs.map((input) => ({ input, values })) }
}

async function readRows<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  argv: Argv,
  path: string,
): Promise<Bulk<S, F>> {
  const csv = await readFittingCsv(context, flow, argv, path)
  const { asked, values } = await prepare(context, withoutColumns(flow, csv), argv)
  const rows = await rowsOfCsv(flow, csv, values)
  return { asked: { ...asked, words: rows.map(({ input }) => input) }, rows }
}

/** One after the other. Consent that has to be typed is asked for each one. */
async function performEach<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { asked, rows: given }: Bulk<S, F>,
): Promise<void> {
  const consent = consentOf(flow)
  const flowContext = given.length > 1 ? keepOrganization(asked.flowContext) : asked.flowContext
  const find = await subjectsOf(flow, flowContext, given)
  const rows = await inOrder(flow, given, find)
  const isTyped = (one: S) => consent?.typed?.always && consent.typed.word([one]) !== undefined
  if (consent) {
    const found = await foundAmong(rows, find)
    const others = found.filter((one) => !isTyped(one))
    // --yes is enough for these, but the word still has to be given for the rest.
    const typed = others.length < found.length ? confirmFlag(context) : []
    const ready: typeof asked.ready = (flags, words) => asked.ready([...flags, ...typed], words)
    if (others.length > 0) await askFlowConsent(context, consent, { ...asked, subjects: others, ready })
  }
  const repeated = repeatedIn(rows, flow)
  if (repeated.size > 0) context.out.note(`Given more than once, done once: ${[...repeated.values()].join(', ')}`)
  const isNew = firstOfEach<F>()
  const note = notingOnce(context)
  const names = new Map<BulkRow<F>, string | undefined>()
  const run = async (row: BulkRow<F>, index: number) => {
    if (repeated.has(index)) return 'skipped'
    const invalid = invalidInput(flow, row.input)
    if (invalid) throw invalid
    const one = await find(row)
    names.set(row, flow.subject.name?.(one))
    if (flow.bulk === 'subject' && !isNew(row.values, flow.subject.words(one).word ?? row.input)) {
      context.out.note(`Given more than once, done once: ${row.input}`)
      return 'skipped'
    }
    if (consent && isTyped(one)) await askFlowConsent(context, consent, aboutOne(flow, asked, one))
    return runRow(note, flow, flowContext, { row, one })
  }
  await runBulk(context, rows, run, (row) => names.get(row))
}

async function runRow<S, F extends Fields, V, R extends object>(
  note: (text: string) => void,
  flow: Flow<S, F, V, R>,
  flowContext: FlowContext,
  { row, one }: { readonly row: BulkRow<F>; readonly one: S },
) {
  const bulkField = bulkFieldOf(flow)
  const values = bulkField === undefined ? row.values : { ...row.values, [bulkField]: row.input.trim() }
  const done = await flow.run(flowContext, one, values).catch(namingValueOf(values))
  for (const text of done.notes ?? []) note(text)
  return outcomeOf(done)
}

/** A note that is the same for many rows is printed with the first. */
function notingOnce({ out }: Pick<Context, 'out'>): (text: string) => void {
  const said = new Set<string>()
  return (text) => {
    if (!said.has(text)) out.note(text)
    said.add(text)
  }
}

const confirmFlag = ({ flags: { confirm } }: Context): readonly string[] =>
  confirm === undefined ? [] : ['--confirm', confirm]

const aboutOne = <S, F extends Fields>(
  { subject }: Pick<Flow<S, F>, 'subject'>,
  asked: ConsentRequest<S>,
  one: S,
): ConsentRequest<S> => ({
  ...asked,
  subjects: [one],
  ready: (flags) => asked.ready(flags, [subject.words(one).word ?? '']),
})

function outcomeOf({ status, resource, secret: token }: FlowResult) {
  if (status === 'planned') return { status, ...resource }
  const id: unknown = Reflect.get(resource, 'id')
  return { status, ...(typeof id === 'string' && { id }), ...(token !== undefined && { token }) }
}

type Find<S, F extends Fields> = (row: BulkRow<F>) => Promise<S>

/** Looks each up once. What a look-up needs is loaded once for all rows of equal values. */
async function subjectsOf<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
  flowContext: FlowContext,
  rows: readonly BulkRow<F>[],
): Promise<Find<S, F>> {
  const words = new Map<ValuesOf<F>, string[]>()
  for (const { values, input } of rows) words.set(values, [...(words.get(values) ?? []), input])
  const finder = once((values: ValuesOf<F>) => flow.subject.finder(flowContext, values, words.get(values) ?? []))
  const first = rows.find(({ input }) => !invalidInput(flow, input))
  // A failure that concerns every row is thrown once, before the first.
  if (first && words.size === 1) await finder(first.values)
  return once(async (row: BulkRow<F>) => (await finder(row.values))(row.input))
}

function once<K, T>(make: (key: K) => T): (key: K) => T {
  const made = new Map<K, T>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}

async function inOrder<S, F extends Fields, V, R extends object>(
  { comesLast }: Flow<S, F, V, R>,
  rows: readonly BulkRow<F>[],
  find: Find<S, F>,
): Promise<readonly BulkRow<F>[]> {
  if (!comesLast) return rows
  return lastInOrder(rows, await Promise.all(rows.map((row) => find(row).then(comesLast, () => false))))
}

/** A subject that is not found is reported in its turn. */
async function foundAmong<S, F extends Fields>(rows: readonly BulkRow<F>[], find: Find<S, F>): Promise<readonly S[]> {
  const found = await Promise.all(
    rows.map((row) =>
      find(row).then(
        (one) => [one],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** The values of a field that repeat an earlier one, by index. Addresses are compared without regard to case. */
function repeatedIn<F extends Fields>(
  rows: readonly BulkRow<F>[],
  { fields, bulk = 'subject' }: { readonly fields: F; readonly bulk?: string },
): ReadonlyMap<number, string> {
  const field: Field | undefined = fields[bulk]
  if (!field) return new Map()
  const isEmail = field.kind === 'text' && field.isEmail === true
  const isNew = firstOfEach<F>()
  const isRepeated = ({ input, values }: BulkRow<F>) => !isNew(values, isEmail ? canonicalEmail(input) : input)
  return new Map([...rows.entries()].flatMap(([index, row]) => (isRepeated(row) ? [[index, row.input]] : [])))
}

/** Whether a word comes for the first time with these values. */
function firstOfEach<F extends Fields>(): (values: ValuesOf<F>, word: string) => boolean {
  const seen = new Map<ValuesOf<F>, Set<string>>()
  return (values, word) => {
    const words = seen.get(values) ?? new Set()
    seen.set(values, words)
    return words.size < words.add(word).size
  }
}
