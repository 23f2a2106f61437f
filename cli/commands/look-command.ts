import { Command } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { type About, about } from '../argv/about.ts'
import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Check, Listing, Sheet } from '../flows/listing.ts'
import type { Ports } from '../flows/ports.ts'
import { addFields, lastWord } from './flow-command.ts'
import { flowPortsOf } from './flow-ports.ts'
import { readArgv, readValues } from './flow-values.ts'

/** The command of a look at several things. */
export const listCommand = <T extends object, F extends Fields>(context: Context, listing: Listing<T, F>): Command =>
  lookCommand(context, listing, {
    form: 'list',
    run: async (ports, values) => {
      const { columns, empty, id } = listing
      const items = await listing.list(ports, values)
      await context.out.list(items, typeof columns === 'function' ? columns(items) : columns, {
        empty: typeof empty === 'string' ? empty : empty(values),
        ...(id !== undefined && { id }),
      })
    },
  })

/** The command of a look at one thing. */
export const viewCommand = <T extends object, F extends Fields>(context: Context, sheet: Sheet<T, F>): Command =>
  lookCommand(context, sheet, {
    form: 'one',
    run: async (ports, values) => context.out.one(await sheet.view(ports, values), sheet.columns),
  })

/** The command of a question: its exit code is the answer. */
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
  readonly run: (ports: Ports, values: ValuesOf<F>) => Promise<void>
}

function lookCommand<F extends Fields>(context: Context, look: Look<F>, { form, run }: Looking<F>): Command {
  const { answer, examples } = look
  const command = new Command(lastWord(look.command)).description(look.summary)
  addFields(command, look.fields)
  command.action(async () => {
    const ports = flowPortsOf(context)
    await ports.signedIn()
    const flow = { ...look, subject: {} }
    await run(ports, await readValues<F>(context, flow, readArgv(flow, command)))
  })
  return about(command, { form, fields: answer, examples })
}
