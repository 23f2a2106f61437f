import { Command } from 'commander'
import { type CommandMetadata, describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { Listing } from '../flows/listing.ts'
import { columnsOf, type ResourceFields } from '../flows/resource-fields.ts'
import type { AnswerFields } from '../output/json.ts'
import { type Arrangement, addArrangementFlags, addColumnsFlag, arrangerOf } from './list-flags.ts'
import { partOf, showPart } from './list-part.ts'

/** A list that no service is asked for: what this machine stores, or what this program knows. */
interface LocalListing<T extends object>
  extends Pick<Listing<T>, 'summary'>,
    Partial<Pick<Listing<T>, 'columns'>>,
    Pick<CommandMetadata<AnswerFields>, 'ends' | 'examples'> {
  /** All of them are its columns, unless it has others. */
  readonly fields: ResourceFields<T>
  /** The field that `--quiet` prints. */
  readonly id: string
  /** Shown when there is nothing. */
  readonly empty: string
  readonly list: (command: Command) => readonly T[] | Promise<readonly T[]>
}

/** The command of such a list, with the flags of every list. */
export function localListCommand<T extends object>(
  context: Context,
  { summary, columns, id, empty, list, ...facts }: LocalListing<T>,
): Command {
  const command = addArrangementFlags(addColumnsFlag(new Command('list').description(summary)))
  command.action(async (options: Arrangement) => {
    const arrange = arrangerOf(facts.fields, options)
    const part = partOf(await list(command))
    await showPart(context, arrange?.(part) ?? part, { columns: columns ?? columnsOf(facts.fields), id, empty })
  })
  return describeCommand(command, { form: 'list', ...facts })
}
