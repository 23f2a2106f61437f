import { Command } from 'commander'
import { about } from './about.ts'

const verbAliases: Readonly<Record<string, string>> = {
  list: 'ls',
  view: 'show',
  delete: 'rm',
  remove: 'rm',
  create: 'new',
}

/** A command that prints its help to stdout with exit 0 when it is called without a verb. */
export class Noun extends Command {
  override help(): never {
    return super.help()
  }
}

interface NounOptions {
  readonly summary: string
  /** Accepted beside the singular. */
  readonly plural?: string
  /** Another name people use for it. */
  readonly also?: string
  /** The noun it stands below. */
  readonly below?: string
}

export function noun(name: string, { summary, plural, also, below }: NounOptions, verbs: readonly Command[]): Command {
  const command = new Noun(name).description(summary).helpCommand(false)
  for (const alias of [plural, also]) if (alias) command.alias(alias)
  for (const verb of verbs) command.addCommand(withAlias(verb))
  const example = ['postern', below, name, verbs[0]?.name()].filter(Boolean).join(' ')
  return about(command, { form: 'none', fields: {}, examples: [example] })
}

function withAlias(verb: Command): Command {
  const alias = verbAliases[verb.name()]
  return alias ? verb.alias(alias) : verb
}
