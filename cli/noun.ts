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
}

export function noun(name: string, { summary, plural }: NounOptions, verbs: readonly Command[]): Command {
  const command = new Noun(name).description(summary).helpCommand(false)
  if (plural) command.alias(plural)
  for (const verb of verbs) command.addCommand(withAlias(verb))
  return about(command, { form: 'none', fields: {}, examples: [`postern ${name} ${verbs[0]?.name()}`] })
}

function withAlias(verb: Command): Command {
  const alias = verbAliases[verb.name()]
  return alias ? verb.alias(alias) : verb
}
