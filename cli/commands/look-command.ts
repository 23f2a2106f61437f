import { Command } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { type About, about } from '../argv/about.ts'
import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Check, Listing, Part, Sheet } from '../flows/listing.ts'
import type { Ports } from '../flows/ports.ts'
import { addFields, lastWord } from './flow-command.ts'
import { flowPortsOf } from './flow-ports.ts'
import { readArgv, readValues } from './flow-values.ts'

/** The command of a list. */
export const listCommand = <T extends object, F extends Fields>(context: Context, listing: Listing<T, F>): Command =>
  lookCommand(context, listing, { form: 'list', run: (ports, values) => showList(context, listing, { ports, values }) })

interface Asked<F extends Fields> {
  readonly ports: Ports
  readonly values: ValuesOf<F>
}

export async function showList<T extends object, F extends Fields>(
  context: Context,
  { columns, empty, id, list }: Listing<T, F>,
  { ports, values }: Asked<F>,
): Promise<void> {
  const part = partOf(await list(ports, values))
  const { items, total, next } = part
  await context.out.list(items, typeof columns === 'function' ? columns(items) : columns, {
    empty: typeof empty === 'string' ? empty : empty(values),
    ...(id !== undefined && { id }),
    page: { total, next: next?.value ?? null },
  })
  if (next) context.out.note(moreNote(part))
}

const partOf = <T>(listed: readonly T[] | Part<T>): Part<T> =>
  'items' in listed ? listed : { items: listed, total: listed.length, next: null }

const moreNote = <T>({ items, total, next }: Part<T>): string =>
  `${items.length}${total === null ? '' : ` of ${total}`} shown. More: ${next?.flags.join(' ')}, or all: --all-pages`

/** The command that shows one resource. */
export const viewCommand = <T extends object, F extends Fields>(context: Context, sheet: Sheet<T, F>): Command =>
  lookCommand(context, sheet, {
    form: 'one',
    run: async (ports, values) => context.out.one(await sheet.view(ports, values), sheet.columns),
  })

/** The command of a check: its exit code is the answer. */
export const checkCommand = <F extends Fields>(context: Context, check: Check<F>): Command =>
  lookCommand(context, check, {
    form: 'one',
    run: async (ports, values) => {
      const { sentence, resource, isDenied } = await check.ask(ports, values)
      context.out.line(sentence, resource)
      if (isDenied) context.exitCode = exitCodes.forbidden
    },
  })

type Look<F extends Fields> = Pick<Sheet<object, F>, 'command' | 'summary' | 'fields' | 'answer' | 'examples'>

interface Looking<F extends Fields> {
  readonly form: About['form']
  /** `command`: for flags that only the command has. */
  readonly run: (ports: Ports, values: ValuesOf<F>, command: Command) => Promise<void>
}

export function lookCommand<F extends Fields>(context: Context, look: Look<F>, { form, run }: Looking<F>): Command {
  const { answer, examples } = look
  const command = new Command(lastWord(look.command)).description(look.summary)
  addFields(command, look.fields)
  command.action(async () => {
    const ports = flowPortsOf(context)
    await ports.signedIn()
    const flow = { ...look, subject: {} }
    await run(ports, await readValues<F>(context, flow, readArgv(flow, command), ports), command)
  })
  return about(command, { form, fields: answer, examples })
}
