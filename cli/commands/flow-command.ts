import { Argument, Command, Option } from 'commander'
import { canonicalEmail } from '../../shared/email.ts'
import { type CommandMetadata, describeCommand, withCompleter } from '../argv/command-metadata.ts'
import { printNextStep } from '../argv/scoped-hint.ts'
import type { Context } from '../context.ts'
import type { Field, Fields, ValuesOf } from '../flows/field.ts'
import type { Consent, Flow, FlowResult } from '../flows/flow.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import type { AnswerFields } from '../output/json.ts'
import { whyNotInteractive } from '../prompt/interactive.ts'
import { bulkFields, expandStdinLines, runBulk } from './bulk.ts'
import { dryRunOption, plannedAnswer, withDryRun } from './dry-run.ts'
import { flowContextOf } from './flow-context.ts'
import { askFlowConsent, type ConsentRequest, checkFlowConsent, runUntilAccepted } from './flow-questions.ts'
import { readArgv, readValues } from './flow-values.ts'
import { isSeveral, needsOf } from './needs.ts'
import { type Argv, type CommandFacts, checkEach, readyLine } from './ready-line.ts'

/** The command of a flow, with its help and the schema of its answer. */
export function flowCommand<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
): Command {
  const command = bareFlowCommand(flow).action(() => runFlow(context, flow, command))
  return describeCommand(command, aboutFlow(flow))
}

/** The name, arguments and flags of a flow, for commands that add their own behaviour. */
export function bareFlowCommand<S, F extends Fields, V, R extends object>(flow: Flow<S, F, V, R>): Command {
  const { subject } = flow
  const command = new Command(lastWord(flow.command)).description(flow.summary)
  if (subject.argument)
    command.addArgument(withCompleter(new Argument(subject.argument, subject.summary), subject.complete))
  addFields(command, flow.fields)
  return flow.writes ? command.addOption(dryRunOption()) : command
}

/** The facts of such a command: whether it writes, its answer and its examples. */
export function aboutFlow<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
): CommandMetadata<AnswerFields> {
  const { writes, answer, examples } = flow
  const [form, fields] = isSeveral(flow) ? (['bulk', bulkFields] as const) : (['change', answer] as const)
  return { form, writes, fields, examples, ...needsOf(flow), ...(writes && { others: [plannedAnswer(form)] }) }
}

export const lastWord = (words: string): string => words.split(' ').at(-1) ?? words

export function addFields(command: Command, fields: Fields): void {
  for (const field of Object.values(fields)) {
    const { argument, flag, summary, complete } = field
    if (argument) command.addArgument(withCompleter(new Argument(argument, summary), complete))
    if (flag) command.addOption(withCompleter(optionOf(field, flag), complete))
  }
}

function optionOf(field: Field, flag: string): Option {
  const option = new Option(flag, field.summary)
  return field.kind === 'choice' && field.values ? option.choices(field.values) : option
}

/** Whether an edit command got nothing to change and a person is there to ask. */
export const asksForEdits = ({ host, flags }: Context, { isEdit }: CommandFacts<Fields>, { given }: Argv): boolean =>
  isEdit === true &&
  Object.values(given).every((value) => value === undefined) &&
  whyNotInteractive(host, flags) === undefined

/** Runs the flow with the values given to the command, and reports the result. */
export async function runFlow<S, F extends Fields, V, R extends object>(
  context: Context,
  described: Flow<S, F, V, R>,
  command: Command,
): Promise<void> {
  const flow = withDryRun(context, described)
  if (isSeveral(flow)) return performEach(context, flow, await prepare(context, flow, command))
  const argv = readArgv(flow, command)
  if (!asksForEdits(context, flow, argv)) return reportResult(context, await runFlowOnce(context, flow, command))
  // Forms are only for people, so scripts do not wait for them to load.
  const { editByAsking } = await import('./edit-by-asking.ts')
  reportResult(context, await editByAsking(context, flow, argv))
}

/** Runs the flow for one subject and reports the result. */
export async function runFlowOnce<S, F extends Fields, V, R extends object>(
  context: Context,
  described: Flow<S, F, V, R>,
  command: Command,
): Promise<FlowResult<Partial<R>>> {
  const flow = withDryRun(context, described)
  const { asked, argv, values } = await prepare(context, flow, command)
  const { flowContext, words } = asked
  const subject = (await flow.subject.finder(flowContext, values, words))(words[0])
  const consent = consentOf(flow)
  if (consent) await askFlowConsent(context, consent, { ...asked, subjects: [subject] })
  return runUntilAccepted(context, flow, { argv, values, run: (taken) => flow.run(flowContext, subject, taken) })
}

interface PreparedFlow<S, F extends Fields> {
  readonly asked: ConsentRequest<S>
  readonly argv: Argv
  readonly values: ValuesOf<F>
}

/** Checks everything that can be wrong before the first request. */
async function prepare<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  command: Command,
): Promise<PreparedFlow<S, F>> {
  const flowContext = flowContextOf(context)
  if (flow.needsSession) await flowContext.signedIn()
  const argv = readArgv(flow, command)
  const values = await readValues(context, flow, argv, flowContext)
  const ready = (flags: readonly string[], words = argv.words) => readyLine(flow, { ...argv, words }, { flags })
  const asked = { flowContext, subjects: [], words: argv.words, ready }
  const consent = consentOf(flow)
  if (consent) await checkFlowConsent(context, consent, asked)
  return { asked, argv, values }
}

/** Runs the flow for each subject named by arguments or stdin. Consent that has to be typed is asked for each one. */
async function performEach<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { asked, values }: PreparedFlow<S, F>,
): Promise<void> {
  const { run, subject } = flow
  const consent = consentOf(flow)
  const { flowContext } = asked
  const inputs = await expandStdinLines(context.host.stdin, asked.words)
  if (flow.bulk) return performEachValue(context, flow, { flowContext, inputs, values })
  const find = await subject.finder(flowContext, values, inputs)
  const isTyped = (one: S) => consent?.typed?.always && consent.typed.word([one]) !== undefined
  const wordsFor = (one: S) => [subject.words(one).word ?? '']
  const others = inputs.flatMap((input) => found(find, input)).filter((one) => !isTyped(one))
  if (consent && others.length > 0)
    await askFlowConsent(context, consent, { ...asked, words: inputs, subjects: others })
  await runBulk(context, inputs, async (input) => {
    const one = find(input)
    if (consent && isTyped(one))
      await askFlowConsent(context, consent, {
        ...asked,
        subjects: [one],
        ready: (flags) => asked.ready(flags, wordsFor(one)),
      })
    const done = await run(flowContext, one, values)
    for (const note of done.notes ?? []) context.out.note(note)
    return outcomeOf(done)
  })
}

interface Bulk<F extends Fields> {
  readonly flowContext: FlowContext
  readonly inputs: readonly string[]
  readonly values: ValuesOf<F>
}

/** Runs the flow with each value of one field. */
async function performEachValue<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { flowContext, inputs, values }: Bulk<F>,
): Promise<void> {
  const { subject, run, bulk = '' } = flow
  const repeated = repeatedIn(inputs, flow.fields[bulk])
  if (repeated.size > 0) context.out.note(`Given more than once, done once: ${[...repeated.values()].join(', ')}`)
  let found: Promise<S> | undefined
  await runBulk(context, inputs, async (input, index) => {
    if (repeated.has(index)) return 'skipped'
    checkEach(flow, input)
    found ??= subject.finder(flowContext, values, inputs).then((find) => find(undefined))
    return outcomeOf(await run(flowContext, await found, { ...values, [bulk]: input }))
  })
}

/** Inputs that repeat an earlier one, by index. Addresses are compared without regard to case. */
function repeatedIn(inputs: readonly string[], field: Field | undefined): ReadonlyMap<number, string> {
  const isEmail = field?.kind === 'text' && field.isEmail === true
  const seen = new Set<string>()
  const isRepeated = (word: string) => seen.size === seen.add(word).size
  return new Map([...inputs.entries()].filter(([, input]) => isRepeated(isEmail ? canonicalEmail(input) : input)))
}

export function outcomeOf({ status, resource }: FlowResult) {
  if (status === 'planned') return { status, ...resource }
  const id: unknown = Reflect.get(resource, 'id')
  return typeof id === 'string' ? { status, id } : status
}

const consentOf = <S>({ consent }: { readonly consent?: Consent<S> }): Consent<S> | undefined =>
  consent?.forKeysOnly ? undefined : consent

/** A subject that is not found is reported in its turn. */
function found<S>(find: (word: string) => S, input: string): readonly S[] {
  try {
    return [find(input)]
  } catch {
    return []
  }
}

/** Reports the result and the most likely next step. */
export function reportResult(context: Context, done: FlowResult): void {
  const { sentence, status, resource, secret, lacksSecret, notes = [], next, nextWords = 'Next' } = done
  context.out.done(sentence, { status, resource, secret, lacksSecret })
  for (const note of notes) printNextStep(context, note)
  if (next) printNextStep(context, `${nextWords}: ${next.command(next.initial)}`)
}
