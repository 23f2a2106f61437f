import { Argument, Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import { scripts, shells } from '../completion/scripts.ts'
import type { Context } from '../context.ts'

export const completionCommand = (context: Context): Command =>
  describeCommand(
    new Command('completion')
      .description('The script that completes commands in a shell')
      .addArgument(new Argument('<shell>', 'which one').choices(shells))
      .action((shell: (typeof shells)[number]) => context.out.text(scripts[shell], { shell, script: scripts[shell] })),
    {
      form: 'one',
      fields: { shell: 'text', script: 'text' },
      examples: ['source <(postern completion bash)', 'fish > ~/.config/fish/completions/postern.fish'],
    },
  )
