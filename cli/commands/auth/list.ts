import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { signInLine } from '../../flows/auth/sign-in-line.ts'
import type { Column } from '../../output/cell.ts'

interface Row {
  readonly account: string
  readonly server: string
  readonly current: boolean
  readonly signedIn: boolean
  readonly impersonating: string | null
}

const columns: readonly Column<Row>[] = [
  { header: 'Account', value: (row) => row.account },
  { header: 'Server', value: (row) => row.server },
  { header: 'Current', value: (row) => row.current },
  { header: 'Signed in', value: (row) => row.signedIn },
]

const actingColumns: readonly Column<Row>[] = [
  ...columns,
  { header: 'Impersonating', value: (row) => row.impersonating },
]

export const authListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The accounts kept on this machine, of every service').action(async () => {
      const { accounts, out } = context
      const rows: readonly Row[] = (await accounts.list()).map((one) => ({
        account: one.email,
        server: one.origin,
        current: one.isCurrent,
        signedIn: one.isSignedIn,
        impersonating: one.impersonating ?? null,
      }))
      for (const { problem } of await accounts.refused()) out.warn(problem.message)
      const isActing = rows.some(({ impersonating }) => impersonating !== null)
      await out.list(rows, isActing ? actingColumns : columns, {
        empty: `No accounts yet: ${signInLine()}`,
        id: 'account',
      })
    }),
    {
      form: 'list',
      fields: { account: 'text', server: 'text', current: 'flag', signedIn: 'flag', impersonating: 'text?' },
      examples: ['', '--json=account,current'],
    },
  )
