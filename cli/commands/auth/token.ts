import { Command } from 'commander'
import type { AccountAt } from '../../accounts/accounts.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { signInLine } from '../../flows/auth/sign-in-line.ts'
import { signedOutError, usageError } from '../../output/cli-error.ts'

export const authTokenCommand = (context: Context): Command =>
  about(
    new Command('token')
      .description('Print the session token, for a header of another program')
      .option('--show', 'print it to a terminal too')
      .action(({ show }: { show?: boolean }) => printToken(context, show)),
    {
      form: 'one',
      fields: { token: 'text' },
      examples: [
        'curl -H "Authorization: Bearer $(postern auth token --url http://localhost:4100)" http://localhost:4100/api/auth/get-session',
      ],
    },
  )

async function printToken(context: Context, show: boolean | undefined): Promise<void> {
  if (context.host.stdout.isTTY && !show) {
    throw usageError('A token is a secret, and this is a terminal', 'postern auth token --show', ['--show'])
  }
  const { token, account } = await context.identity()
  const found = token ?? (account && (await tokenOf(context, account)))
  if (found === undefined) throw signedOutError(`Not signed in to ${context.settings.address.value.base}`, signInLine())
  context.out.text(found, { token: found })
}

/** That of whom commands act as. */
async function tokenOf({ accounts }: Context, account: AccountAt): Promise<string | undefined> {
  return (await accounts.impersonation(account))?.token ?? accounts.token(account)
}
