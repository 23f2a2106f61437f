import type { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { commandWith } from '../../flows/command-line.ts'
import { addLink, linkInBrowser } from '../../flows/link/add.ts'
import { factsOf, perform, wordsOf } from '../flow-command.ts'

export const addLinkCommand = (context: Context): Command => {
  const command = wordsOf(addLink)
    .option('--open', 'open the page in a browser of this machine')
    .option('--no-open', 'only print its address')
    .action((provider: string, options: { readonly open?: boolean }) => add(context, command, { provider, ...options }))
  return about(command, factsOf(addLink))
}

/** Nobody reads the code where nobody sits. */
async function add(
  context: Context,
  command: Command,
  { provider, open }: { readonly provider: string; readonly open?: boolean },
): Promise<void> {
  context.checkPrompt(['A person at a terminal'], commandWith(addLink, [], { given: { provider } }))
  const run: typeof addLink.run = (ports, _, values) => linkInBrowser(ports, values, open ?? ports.browser.isHere)
  await perform(context, { ...addLink, run }, command)
}
