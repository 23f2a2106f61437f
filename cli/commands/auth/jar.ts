import { Command } from 'commander'
import type { AccountAt } from '../../accounts/accounts.ts'
import { about } from '../../argv/about.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { noteWhoIsCurrent } from '../../flows/auth/note-who-is-current.ts'
import { signedOutError } from '../../output/cli-error.ts'
import { commandLine } from '../../output/shell-line.ts'
import { flowPortsOf } from '../flow-ports.ts'

export const authJarCommand = (context: Context): Command =>
  noun('jar', { summary: 'The file that keeps the session of an account' }, [
    jarPathCommand(context),
    jarClearCommand(context),
  ])

const jarPathCommand = (context: Context): Command =>
  about(
    new Command('path').description('Where that file is').action(async () => {
      const account = await accountOf(context)
      const path = context.accounts.path(account)
      context.out.text(path, { account: account.email, path })
    }),
    { form: 'one', fields: { account: 'text', path: 'text' }, examples: [''] },
  )

const jarClearCommand = (context: Context): Command =>
  about(
    new Command('clear').description('Remove that file, also a damaged one').action(async () => {
      const account = await accountOf(context)
      const { email } = account
      const ready = commandLine('postern', 'auth', 'jar', 'clear', '--account', email, '--yes')
      await context.confirm(`Forget the session of ${email} here? It lives on at the service.`, {
        ready,
        expected: [email],
      })
      await context.accounts.remove(account)
      const resource = { account: email, path: context.accounts.path(account) }
      context.out.done(`Removed the jar of ${email}`, { status: 'deleted', resource })
      for (const note of await noteWhoIsCurrent(flowPortsOf(context))) context.out.note(note)
    }),
    {
      form: 'change',
      fields: { account: 'text', path: 'text' },
      examples: ['', '--account alice@example.com --yes'],
    },
  )

async function accountOf(context: Context): Promise<AccountAt> {
  const { account } = await context.identity()
  if (account) return account
  throw signedOutError('No account is named or current', 'Name one: postern auth jar path --account alice@example.com')
}
