import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'

interface Row {
  readonly account: string
  readonly server: string
  readonly current: boolean
  readonly signedIn: boolean
}

const columns: readonly Column<Row>[] = [
  { header: 'Account', value: (row) => row.account },
  { header: 'Server', value: (row) => row.server },
  { header: 'Current', value: (row) => row.current },
  { header: 'Signed in', value: (row) => row.signedIn },
]

export const authListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The accounts kept on this machine, of every service').action(async () => {
      const entries = await (await context.accounts()).list()
      const rows: Row[] = []
      for (const entry of entries) {
        if ('problem' in entry) context.out.warn(entry.problem.message)
        else
          rows.push({
            account: entry.account,
            server: entry.origin,
            current: entry.isCurrent,
            signedIn: entry.isSignedIn,
          })
      }
      await context.out.list(rows, columns, { empty: 'No accounts yet: postern sign-in', id: 'account' })
    }),
    {
      form: 'list',
      fields: { account: 'text', server: 'text', current: 'flag', signedIn: 'flag' },
      examples: ['postern auth list', 'postern auth list --json=account,current'],
    },
  )
