import type { Command } from 'commander'
import type { AnswerFields } from '../output/json.ts'

/** The shape of a command's answer under --json. */
type AnswerForm = 'one' | 'list' | 'change' | 'bulk' | 'none'

/** What a command says of itself beyond its arguments: shown by --help, `commands --json` and `schema`. */
export interface About {
  readonly form: AnswerForm
  /** Fields of the thing, the list's items or the changed resource: what `--json=a,b` can select. */
  readonly fields: AnswerFields
  readonly examples: readonly string[]
  /** Changes something at the service: refused under --read-only before anything is asked or sent. */
  readonly writes?: boolean
}

const notes = new WeakMap<Command, About>()

/** Attaches the facts to a command, and its examples to its help. */
export function about(command: Command, facts: About): Command {
  notes.set(command, facts)
  return command.addHelpText('after', () => helpTail(command, facts))
}

/** All that --help prints for a command. */
export const commandHelp = (command: Command): string =>
  `${command.helpInformation()}${helpTail(command, aboutOf(command))}\n`

function helpTail({ parent }: Command, { examples }: About): string {
  const lines = ['', 'Examples:', ...examples.map((line) => `  ${line}`)]
  return [...lines, ...(parent ? ['', 'Global flags (--json, --url, --account, --yes …): postern --help'] : [])].join(
    '\n',
  )
}

export const aboutOf = (command: Command): About => notes.get(command) ?? { form: 'none', fields: {}, examples: [] }
