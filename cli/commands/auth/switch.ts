import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../refusal.ts'

export const authSwitchCommand = (context: Context): Command =>
  about(
    new Command('switch')
      .description('Make another stored account the current one')
      .argument('<account>', 'its email address')
      .action((account: string) => switchAccount(context, account)),
    {
      form: 'change',
      fields: { account: 'text', server: 'text' },
      examples: ['postern auth switch alice@example.com'],
    },
  )

async function switchAccount(context: Context, asked: string): Promise<void> {
  const { origin } = context.settings.address.value
  const entries = await context.accounts.list()
  const here = entries.flatMap((entry) => ('account' in entry && entry.origin === origin ? [entry] : []))
  const found = here.find(({ account }) => account.toLowerCase() === asked.trim().toLowerCase())
  if (!found) {
    const known = here.map(({ account }) => account).join(', ')
    throw notFound(
      `No account ${asked} is kept for ${origin}`,
      known ? `Kept: ${known}` : `postern sign-in --email ${asked}`,
    )
  }
  const resource = { account: found.account, server: origin }
  if (found.isCurrent) return context.out.done(`${found.account} is current already`, { status: 'unchanged', resource })
  await context.accounts.use(found.account)
  context.out.done(`Switched to ${found.account}`, { status: 'updated', resource })
}
