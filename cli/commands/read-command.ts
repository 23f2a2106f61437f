import { Command } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { type CommandMetadata, describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { FlowContext } from '../flows/flow-context.ts'
import type { Check, Listing, Sheet } from '../flows/listing.ts'
import { addFields, lastWord } from './flow-command.ts'
import { flowContextOf, keepOrganization } from './flow-context.ts'
import { readArgv, readValues } from './flow-values.ts'
import { addColumnsFlag, addListFlags, arranged } from './list-flags.ts'
import { columnsFor, isPartial, moreNote, partOf, showPart } from './list-part.ts'
import { needsOfReading } from './needs.ts'
import type { Look } from './viewer.ts'
import { addWatchFlag, watchInterval, watchList } from './watch.ts'

/** The command of a list. `--watch` shows it again whenever it changes. */
export function listCommand<T extends object, F extends Fields>(context: Context, listing: Listing<T, F>): Command {
  const { id, answer, examples } = listing
  const command = readCommand(context, listing, {
    form: 'list',
    run: async (flowContext, values, command) => {
      const interval = watchInterval(context, command)
      const shown = arranged(listing, command.opts())
      if (interval === undefined) return showList(context, shown, { flowContext, values })
      const watched = { flowContext: keepOrganization(flowContext), values }
      await watchList(context, { id, interval, look: () => lookAt(shown, watched) })
    },
  })
  return describeCommand(addWatchFlag(addListFlags(command, listing)), {
    ...needsOfReading(listing),
    form: 'list',
    fields: answer,
    examples: [...examples, [...command.registeredArguments.map(() => examples[0]), '--watch'].join(' ')],
    others: [{ by: '--watch', form: 'none', fields: { change: 'text', ...answer } }],
  })
}

/** The list as it is now, for those who watch it. */
async function lookAt<T extends object, F extends Fields>(
  { columns, empty, list }: Listing<T, F>,
  { flowContext, values }: ListRequest<F>,
): Promise<Look<T>> {
  const part = partOf(await list(flowContext, values))
  const { items } = part
  const none = items.length === 0 ? (typeof empty === 'string' ? empty : empty(values)) : undefined
  return {
    items,
    columns: columnsFor(items, columns),
    note: isPartial(part) ? moreNote(part) : none,
  }
}

interface ListRequest<F extends Fields> {
  readonly flowContext: FlowContext
  readonly values: ValuesOf<F>
}

export const showList = async <T extends object, F extends Fields>(
  context: Context,
  { columns, empty, id, list }: Listing<T, F>,
  { flowContext, values }: ListRequest<F>,
): Promise<void> =>
  showPart(context, partOf(await list(flowContext, values)), {
    columns,
    empty: typeof empty === 'string' ? empty : empty(values),
    id,
  })

/** The command that shows one resource. */
export const viewCommand = <T extends object, F extends Fields>(context: Context, sheet: Sheet<T, F>): Command =>
  readCommand(context, sheet, {
    form: 'one',
    run: async (flowContext, values) => context.out.one(await sheet.view(flowContext, values), sheet.columns),
  })

/** The command of a check: its exit code is the answer. */
export const checkCommand = <F extends Fields>(context: Context, check: Check<F>): Command =>
  readCommand(context, check, {
    form: 'one',
    ends: ['forbidden'],
    run: async (flowContext, values) => {
      const { sentence, resource, isDenied } = await check.ask(flowContext, values)
      context.out.line(sentence, resource)
      if (isDenied) context.exitCode = exitCodes.forbidden
    },
  })

type ReadCommandFacts<F extends Fields> = Pick<
  Sheet<object, F>,
  'call' | 'command' | 'summary' | 'fields' | 'answer' | 'examples'
>

interface ReadOptions<F extends Fields> {
  readonly form: CommandMetadata['form']
  /** `command`: for flags that only the command has. */
  readonly run: (flowContext: FlowContext, values: ValuesOf<F>, command: Command) => Promise<void>
  /** How it can end, if its argument names nothing that may be missing. */
  readonly ends?: CommandMetadata['ends']
}

export function readCommand<F extends Fields>(
  context: Context,
  look: ReadCommandFacts<F>,
  { form, run, ends }: ReadOptions<F>,
): Command {
  const { answer, examples } = look
  const command = new Command(lastWord(look.command)).description(look.summary)
  addFields(command, look.fields)
  addColumnsFlag(command)
  command.action(async () => {
    const flowContext = flowContextOf(context)
    await flowContext.signedIn()
    const flow = { ...look, subject: {} }
    await run(flowContext, await readValues<F>(context, flow, readArgv(flow, command), flowContext), command)
  })
  return describeCommand(command, { form, fields: answer, examples, ...needsOfReading(look), ...(ends && { ends }) })
}
