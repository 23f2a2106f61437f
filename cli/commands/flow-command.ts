import { Command } from 'commander'
import { type About, about } from '../argv/about.ts'
import { completeWith } from '../argv/completer.ts'
import { scopeFlags } from '../argv/flags.ts'
import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Consent, Done, Flow } from '../flows/flow.ts'
import type { Listing, Sheet } from '../flows/listing.ts'
import type { Ports } from '../flows/ports.ts'
import { runBulk } from './bulk.ts'
import { askFlowConsent, type ConsentRequest, checkFlowConsent } from './flow-consent.ts'
import { flowPortsOf } from './flow-ports.ts'
import { readyLine } from './flow-ready.ts'
import { readArgv, readValues } from './flow-values.ts'
import { linesOf } from './stdin-lines.ts'

/** The command of a flow, with its help and the schema of its answer. */
export function flowCommand<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
): Command {
  const { complete } = flow.subject
  const command = wordsOf(flow).action(() => perform(context, flow, command))
  if (complete) completeWith(command, () => complete(flowPortsOf(context)))
  return about(command, factsOf(flow))
}

/** The name, the arguments and the flags of a flow, for a command that has more of its own. */
export function wordsOf<S, F extends Fields, V, R extends object>(flow: Flow<S, F, V, R>): Command {
  const { subject } = flow
  const command = new Command(lastWord(flow.command)).description(flow.summary)
  if (subject.argument) command.argument(subject.argument, subject.summary)
  addFields(command, flow.fields)
  return command
}

/** What such a command says of itself. */
export function factsOf<S, F extends Fields, V, R extends object>(flow: Flow<S, F, V, R>): About {
  const { writes, answer, examples } = flow
  const [form, fields] = isSeveral(flow) ? (['bulk', bulkFields] as const) : (['change', answer] as const)
  return { form, writes, fields, examples }
}

/** The command of a look at several things. */
export function listCommand<T extends object, F extends Fields>(context: Context, listing: Listing<T, F>): Command {
  const { columns, empty, answer, examples } = listing
  const command = new Command(lastWord(listing.command)).description(listing.summary)
  addFields(command, listing.fields)
  command.action(async () => {
    const ports = flowPortsOf(context)
    await ports.signedIn()
    const flow = { ...listing, subject: {} }
    const values = await readValues<F>(context, flow, readArgv(flow, command))
    const items = await listing.list(ports, values)
    await context.out.list(items, columns, { empty: typeof empty === 'string' ? empty : empty(values) })
  })
  return about(command, { form: 'list', fields: answer, examples })
}

/** The command of a look at one thing. */
export function viewCommand<T extends object, F extends Fields>(context: Context, sheet: Sheet<T, F>): Command {
  const { columns, answer, examples } = sheet
  const command = new Command(lastWord(sheet.command)).description(sheet.summary)
  addFields(command, sheet.fields)
  command.action(async () => {
    const ports = flowPortsOf(context)
    await ports.signedIn()
    const flow = { ...sheet, subject: {} }
    const values = await readValues<F>(context, flow, readArgv(flow, command))
    await context.out.one(await sheet.view(ports, values), columns)
  })
  return about(command, { form: 'one', fields: answer, examples })
}

const lastWord = (words: string): string => words.split(' ').at(-1) ?? words

export function addFields(command: Command, fields: Fields): void {
  for (const { argument, flag, summary } of Object.values(fields)) {
    if (argument) command.argument(argument, summary)
    if (flag) command.option(flag, summary)
  }
}

const bulkFields = { input: 'text', status: 'text', id: 'text?', error: 'any' } as const
const isSeveral = ({
  subject,
  bulk,
}: {
  readonly subject: { readonly argument?: string }
  readonly bulk?: string
}): boolean => bulk !== undefined || (subject.argument?.includes('...') ?? false)

/** Does what the flow says with what the command was given, and tells what came of it. */
export async function perform<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  command: Command,
): Promise<void> {
  if (isSeveral(flow)) return performEach(context, flow, await prepare(context, flow, command))
  reportDone(context, await performOne(context, flow, command))
}

/** The same, told by the command. */
export async function performOne<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  command: Command,
): Promise<Done<R>> {
  const { asked, values } = await prepare(context, flow, command)
  const { ports, words } = asked
  const subject = (await flow.subject.finder(ports, values, words))(words[0])
  const consent = consentOf(flow)
  if (consent) await askFlowConsent(context, consent, { ...asked, subjects: [subject] })
  return flow.run(ports, subject, values)
}

interface Prepared<S, F extends Fields> {
  readonly asked: ConsentRequest<S>
  readonly values: ValuesOf<F>
}

/** Everything that can be wrong before the service is asked anything. */
async function prepare<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  command: Command,
): Promise<Prepared<S, F>> {
  const ports = flowPortsOf(context)
  if (flow.needsSession) await ports.signedIn()
  const argv = readArgv(flow, command)
  const values = await readValues(context, flow, argv)
  const scope = scopeFlags(context.flags)
  const ready = (flags: readonly string[], words = argv.words) =>
    readyLine(flow, { ...argv, words }, { flags: [...scope, ...flags] })
  const asked = { ports, subjects: [], words: argv.words, ready }
  const consent = consentOf(flow)
  if (consent) checkFlowConsent(context, consent, asked)
  return { asked, values }
}

/** To each of those that the words or stdin name. What has to be typed is typed for each. */
async function performEach<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { asked, values }: Prepared<S, F>,
): Promise<void> {
  const { run, subject } = flow
  const consent = consentOf(flow)
  const { ports } = asked
  const inputs = await linesOf(context.host.stdin, asked.words)
  if (flow.bulk) return performEachValue(context, flow, { ports, inputs, values })
  const find = await subject.finder(ports, values, inputs)
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
    return outcomeOf(await run(ports, one, values))
  })
}

interface Bulk<F extends Fields> {
  readonly ports: Ports
  readonly inputs: readonly string[]
  readonly values: ValuesOf<F>
}

/** With each value of one field. */
async function performEachValue<S, F extends Fields, V, R extends object>(
  context: Context,
  { subject, run, bulk = '' }: Flow<S, F, V, R>,
  { ports, inputs, values }: Bulk<F>,
): Promise<void> {
  const about = (await subject.finder(ports, values, inputs))(undefined)
  await runBulk(context, inputs, async (input) => outcomeOf(await run(ports, about, { ...values, [bulk]: input })))
}

function outcomeOf({ status, resource }: Done) {
  const id: unknown = Reflect.get(resource, 'id')
  return typeof id === 'string' ? { status, id } : status
}

const consentOf = <S>({ consent }: { readonly consent?: Consent<S> }): Consent<S> | undefined =>
  consent?.forKeysOnly ? undefined : consent

/** What is not found is told when its turn comes. */
function found<S>(find: (word: string) => S, input: string): readonly S[] {
  try {
    return [find(input)]
  } catch {
    return []
  }
}

/** What came of it, and what most likely follows. */
export function reportDone({ out }: Context, done: Done): void {
  const { sentence, status, resource, notes = [], next, nextWords = 'Next' } = done
  out.done(sentence, { status, resource })
  for (const note of notes) out.note(note)
  if (next) out.note(`${nextWords}: ${next.command(next.initial)}`)
}
