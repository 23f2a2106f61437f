import { Command } from 'commander'
import { exampleLine } from '../flows/command-line.ts'
import { describeCommand, metadataOf } from './command-metadata.ts'

const verbAliases: Readonly<Record<string, string>> = {
  list: 'ls',
  view: 'show',
  delete: 'rm',
  remove: 'rm',
  create: 'new',
}

/** A group of commands. Called without a verb it prints its help to stdout and exits with 0. */
export class Noun extends Command {
  override help(): never {
    return super.help()
  }
}

interface NounOptions {
  readonly summary: string
  /** The plural, accepted as an alias. */
  readonly plural?: string
  /** Another common name, accepted as an alias. */
  readonly also?: string
}

export function noun(name: string, { summary, plural, also }: NounOptions, verbs: readonly Command[]): Command {
  const command = new Noun(name).description(summary).helpCommand(false)
  for (const alias of [plural, also]) if (alias) command.alias(alias)
  for (const verb of verbs) command.addCommand(withAlias(verb))
  const examples = verbs.slice(0, 1).flatMap((verb) => examplesBelow(verb).slice(0, 1))
  return describeCommand(command, { form: 'none', fields: {}, examples })
}

/** Examples relative to the noun, without its own name. */
const examplesBelow = (verb: Command): readonly string[] =>
  metadataOf(verb).examples.map((example) => exampleLine(verb.name(), example))

function withAlias(verb: Command): Command {
  const alias = verbAliases[verb.name()]
  return alias ? verb.alias(alias) : verb
}
