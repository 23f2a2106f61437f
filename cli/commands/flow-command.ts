import { Command, type Option } from 'commander'
import { about } from '../about.ts'
import type { Context } from '../context.ts'
import { commandFor } from '../flows/command-line.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Consent, Done, Flow } from '../flows/flow.ts'
import type { Listing, Sheet } from '../flows/listing.ts'
import type { Ports } from '../flows/ports.ts'
import { usage } from '../refusal.ts'
import { runBulk } from './bulk.ts'
import { type About, askConsent, checkConsent } from './flow-consent.ts'
import { portsOf } from './flow-ports.ts'
import { type Argv, nameOf, readArgv, readValues, readyLine } from './flow-values.ts'
import { linesOf } from './stdin-lines.ts'

type Run<S, F extends Fields> = (ports: Ports, subject: S, values: ValuesOf<F>) => Promise<Done>

/** What only the command has: flags of its own, and what they make of the flow. */
export interface Beside<S, F extends Fields> {
  readonly options: readonly Option[]
  readonly around: (run: Run<S, F>, given: Readonly<Record<string, unknown>>) => Run<S, F>
}

/** The command of a flow, with its help and the schema of its answer. */
export function flowCommand<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  beside?: Beside<S, F>,
): Command {
  const { subject, writes, examples } = flow
  const command = new Command(lastWord(flow.command)).description(flow.summary)
  if (subject.argument) command.argument(subject.argument, subject.summary)
  addFields(command, flow.fields)
  for (const option of beside?.options ?? []) command.addOption(option)
  const around = beside && ((run: Run<S, F>) => beside.around(run, command.opts()))
  command.action(() => perform(context, { ...flow, ...(around && { run: around(flow.run) }) }, readArgv(flow, command)))
  const isBulk = isSeveral(flow)
  const fields = isBulk ? bulkFields : flow.answer
  return about(command, { form: isBulk ? 'bulk' : 'change', writes, fields, examples })
}

/** The command of a look at several things. */
export function listCommand<T extends object, F extends Fields>(context: Context, listing: Listing<T, F>): Command {
  const { columns, empty, answer, examples } = listing
  const command = new Command(lastWord(listing.command)).description(listing.summary)
  addFields(command, listing.fields)
  command.action(async () => {
    const ports = portsOf(context)
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
    const ports = portsOf(context)
    await ports.signedIn()
    const flow = { ...sheet, subject: {} }
    const values = await readValues<F>(context, flow, readArgv(flow, command))
    await context.out.one(await sheet.view(ports, values), columns)
  })
  return about(command, { form: 'one', fields: answer, examples })
}

const lastWord = (words: string): string => words.split(' ').at(-1) ?? words

function addFields(command: Command, fields: Fields): void {
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

async function perform<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  argv: Argv,
): Promise<void> {
  const consent = consentOf(flow)
  const ports = portsOf(context)
  if (flow.needsSession) await ports.signedIn()
  const values = await readValues(context, flow, argv)
  const asked = { subjects: [], words: argv.words, ready: (flags: readonly string[]) => readyLine(flow, argv, flags) }
  if (consent) checkConsent(context, consent, asked)
  if (isSeveral(flow)) return performEach(context, flow, { asked, values })
  const subject = (await flow.subject.finder(ports, values, argv.words))(argv.words[0])
  checkTogether(flow.check?.(values, [subject]), flow.fields)
  if (consent) await askConsent(context, consent, { ...asked, subjects: [subject] })
  report(context, await flow.run(ports, subject, values))
}

interface Bulk<S, F extends Fields> {
  readonly asked: About<S>
  readonly values: ValuesOf<F>
}

/** To each of those that the words or stdin name. What has to be typed is typed for each. */
async function performEach<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  { asked, values }: Bulk<S, F>,
): Promise<void> {
  const { run, subject } = flow
  const consent = consentOf(flow)
  const ports = portsOf(context)
  const inputs = await linesOf(context.host.stdin, asked.words)
  if (flow.bulk) return performEachValue(context, flow, { inputs, values })
  const find = await subject.finder(ports, values, inputs)
  const isTyped = (one: S) => consent?.typed?.always && consent.typed.word([one]) !== undefined
  const others = inputs.flatMap((input) => found(find, input)).filter((one) => !isTyped(one))
  if (consent && others.length > 0) await askConsent(context, consent, { ...asked, words: inputs, subjects: others })
  await runBulk(context, inputs, async (input) => {
    const one = find(input)
    if (consent && isTyped(one))
      await askConsent(context, consent, { ...asked, subjects: [one], ready: () => commandFor(flow, [one], values) })
    const { status, resource } = await run(ports, one, values)
    return { status, id: String(Reflect.get(resource, 'id') ?? input) }
  })
}

/** To each value of one field. */
async function performEachValue<S, F extends Fields, V, R extends object>(
  context: Context,
  { subject, run, bulk = '' }: Flow<S, F, V, R>,
  { inputs, values }: { readonly inputs: readonly string[]; readonly values: ValuesOf<F> },
): Promise<void> {
  const ports = portsOf(context)
  const about = (await subject.finder(ports, values, inputs))(undefined)
  await runBulk(context, inputs, async (input) => {
    const { status, resource } = await run(ports, about, { ...values, [bulk]: input })
    return { status, id: String(Reflect.get(resource, 'id') ?? input) }
  })
}

function checkTogether(problems: Readonly<Record<string, string | undefined>> = {}, fields: Fields): void {
  for (const [name, problem] of Object.entries(problems)) {
    const field = fields[name]
    if (problem && field) throw usage(`${nameOf(field)}: ${problem}`, undefined, [nameOf(field)])
  }
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

function report({ out }: Context, { sentence, status, resource, notes = [], next }: Done): void {
  out.done(sentence, { status, resource })
  for (const note of notes) out.note(note)
  if (next) out.note(`Next: ${next.command(next.initial)}`)
}
