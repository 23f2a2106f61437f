import { Command } from 'commander'
import { exampleLine } from '../flows/command-line.ts'
import { about, aboutOf } from './about.ts'

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
}

export function noun(name: string, { summary, plural, also }: NounOptions, verbs: readonly Command[]): Command {
  const command = new Noun(name).description(summary).helpCommand(false)
  for (const alias of [plural, also]) if (alias) command.alias(alias)
  for (const verb of verbs) command.addCommand(withAlias(verb))
  const examples = verbs.slice(0, 1).flatMap((verb) => examplesBelow(verb).slice(0, 1))
  return about(command, { form: 'none', fields: {}, examples })
}

/** As they stand behind the words of the noun. */
const examplesBelow = (verb: Command): readonly string[] =>
  aboutOf(verb).examples.map((example) => exampleLine(verb.name(), example))

function withAlias(verb: Command): Command {
  const alias = verbAliases[verb.name()]
  return alias ? verb.alias(alias) : verb
}
