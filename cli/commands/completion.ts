import { Argument, Command } from 'commander'
import { about, aboutOf } from '../argv/about.ts'
import { askedCompletion, completions } from '../completion/complete.ts'
import { scripts, shells } from '../completion/scripts.ts'
import type { Context } from '../context.ts'

export const completionCommand = (context: Context): Command =>
  about(
    new Command('completion')
      .description('The script that completes commands in a shell')
      .addArgument(new Argument('<shell>', 'which one').choices(shells))
      .action((shell: (typeof shells)[number]) => context.out.text(scripts[shell], { shell, script: scripts[shell] })),
    {
      form: 'one',
      fields: { shell: 'text', script: 'text' },
      examples: [
        'source <(postern completion bash)',
        'postern completion fish > ~/.config/fish/completions/postern.fish',
      ],
    },
  )

/** Asked by those scripts: the words typed so far, after `--`; a word a line comes back. */
export const completeCommand = (context: Context): Command => {
  const command: Command = new Command('__complete').argument('[word...]').action(async (words: string[]) => {
    const root = command.parent ?? command
    const found = [...completions(root, words), ...(await askedFor(context, root, words))]
    if (found.length > 0) context.out.text(found.join('\n'), { words: found })
  })
  return command
}

/** A person waits with a finger on the key: what does not come soon, or at all, is left out. */
async function askedFor(context: Context, root: Command, words: readonly string[]): Promise<readonly string[]> {
  const ask = askedCompletion(root, words)
  if (!ask) return []
  context.begin({ timeout: '2s', retries: '0' }, aboutOf(root))
  const found = await ask().catch(() => [])
  return [...new Set(found.filter((word) => word.startsWith(words.at(-1) ?? '')))].sort()
}
