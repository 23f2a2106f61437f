import { environmentTopic } from './environment.ts'
import { exitCodesTopic } from './exit-codes.ts'
import { flagsTopic } from './flags.ts'
import { automationTopic, jarTopic, outputTopic } from './text.ts'

/** What `postern help TOPIC` tells beside the commands. */
export const topics: Readonly<
  Record<string, { readonly summary: string; readonly text: (width: number) => string | Promise<string> }>
> = {
  flags: { summary: 'flags of every command', text: flagsTopic },
  environment: { summary: 'variables and their precedence', text: environmentTopic },
  'exit-codes': { summary: 'what each exit code means', text: exitCodesTopic },
  output: { summary: 'forms of output: tables, tabs, JSON', text: () => outputTopic },
  automation: { summary: 'scripts and CI: never asked, always ended', text: () => automationTopic },
  jar: { summary: 'where sessions are kept', text: () => jarTopic },
  keys: {
    summary: 'keys of the terminal UI',
    text: async () => (await import('../tui/keys/key-topics.ts')).keysHelp(),
  },
}
