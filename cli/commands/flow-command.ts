import { Argument, Command, Option } from 'commander'
import { type AnswerSpec, type CommandMetadata, describeCommand, withCompleter } from '../argv/command-metadata.ts'
import { printNextStep } from '../argv/scoped-hint.ts'
import { isGivenSeveral, several } from '../argv/several.ts'
import type { Context } from '../context.ts'
import type { Field, Fields, ValuesOf } from '../flows/field.ts'
import type { Flow, FlowFacts, FlowResult } from '../flows/flow.ts'
import type { AnswerFields } from '../output/json.ts'
import { whyNotInteractive } from '../prompt/interactive.ts'
import { bulkFields } from './bulk.ts'
import { type CsvFlow, csvColumns, inputColumn } from './csv-columns.ts'
import { dryRunOption, plannedAnswer, withDryRun } from './dry-run.ts'
import { consentOf, prepare } from './flow-preparation.ts'
import { askFlowConsent, runUntilAccepted } from './flow-questions.ts'
import { readArgv } from './flow-values.ts'
import { namingValueOf } from './naming-value.ts'
import { needsOf } from './needs.ts'
import type { Argv, CommandFacts } from './ready-line.ts'

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
  if (flow.bulk) takeSeveral(command, flow)
  return flow.isLocal ? command : command.addOption(dryRunOption())
}

/** The facts of such a command: whether it writes, its answer and its examples. */
export function aboutFlow<S, F extends Fields, V, R extends object>(
  flow: Flow<S, F, V, R>,
): CommandMetadata<AnswerFields> {
  const { isLocal, examples } = flow
  return { ...answersOf(flow), writes: !isLocal, examples, ...needsOf(flow) }
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
  if (flow.bulk && (!flow.answersOne || isGivenSeveral(command))) {
    // Most commands are about one thing, so they do not wait for this to load.
    const { runForInputs } = await import('./bulk-command.ts')
    return runForInputs(context, flow, readArgv(flow, command), command.getOptionValue('csv'))
  }
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
  const { bulk: _, ...known } = withDryRun(context, described)
  const argv = readArgv(known, command)
  const flow = await askingForOwn(context, known, argv)
  const { asked, values } = await prepare(context, flow, argv)
  const { flowContext, words } = asked
  if (argv.given['fields']) await (await import('./own-field-questions.ts')).refuseUndeclared(flowContext, known, argv)
  const subject = await (await flow.subject.finder(flowContext, values, words))(words[0])
  const consent = consentOf(flow)
  if (consent) await askFlowConsent(context, consent, { ...asked, subjects: [subject] })
  const run = (taken: ValuesOf<F>) => flow.run(flowContext, subject, taken).catch(namingValueOf(taken))
  return runUntilAccepted(context, flow, { argv, values, run }).catch((error: unknown) => explain(flow, error))
}

/** Only a person is asked for own fields of the service, so that scripts make no further request. */
async function askingForOwn<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  argv: Argv,
): Promise<Flow<S, F, V, R>> {
  if (!flow.own || flow.isEdit || whyNotInteractive(context.host, context.flags) !== undefined) return flow
  return (await import('./own-field-questions.ts')).askingForOwn(context, flow, argv)
}

async function explain({ own, fields }: Pick<Flow<never>, 'own' | 'fields'>, error: unknown): Promise<never> {
  throw own ? (await import('./own-field-questions.ts')).namingFlags({ fields }, error) : error
}

/** Reports the result and the most likely next step. */
export function reportResult(context: Context, done: FlowResult): void {
  const { sentence, status, resource, secret, lacksSecret, notes = [], next, nextWords = 'Next' } = done
  context.out.done(sentence, { status, resource, secret, lacksSecret })
  for (const note of notes) printNextStep(context, note)
  if (next) printNextStep(context, `${nextWords}: ${next.command(next.initial)}`)
}

/** Lets a command read its inputs from stdin, and all its values from a CSV file. */
function takeSeveral(command: Command, flow: CsvFlow): void {
  const argument = command.registeredArguments.find((one) => one.name() === inputColumn(flow))
  if (argument) argument.description += '; - reads them from stdin, one per line'
  const columns = csvColumns(flow).map(({ name }) => name)
  command.addOption(
    new Option(
      '--csv <file>',
      `read them from a CSV file instead, - for stdin, with these columns: ${columns.join(', ')}`,
    ),
  )
  command.on('option:csv', () => {
    for (const one of command.registeredArguments) one.required = false
  })
}

type Answers = Pick<CommandMetadata<AnswerFields>, 'form' | 'fields' | 'others'>

/** The answers of a flow's command: about one thing, about several, and under --dry-run. */
function answersOf(flow: Pick<FlowFacts, 'answer' | 'bulk' | 'answersOne' | 'isLocal'>): Answers {
  const { answer, bulk, answersOne, isLocal } = flow
  const results = { ...bulkFields, ...('token' in answer && ({ token: 'text?' } as const)) }
  const ofOne: AnswerSpec<AnswerFields> = { form: 'change', fields: answer }
  const ofSeveral: AnswerSpec<AnswerFields> = { form: 'bulk', fields: results }
  if (!bulk) return { ...ofOne, ...(!isLocal && { others: [plannedAnswer()] }) }
  if (!answersOne) return { ...ofSeveral, ...(!isLocal && { others: [plannedAnswer(results)] }) }
  const each = { ...ofSeveral, by: several }
  if (isLocal) return { ...ofOne, others: [each] }
  const plans = { ...plannedAnswer(results), by: `${several} with --dry-run` }
  return { ...ofOne, others: [plans, each, plannedAnswer()] }
}
