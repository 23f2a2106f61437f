import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'

interface Listed {
  readonly role: string
  readonly permissions: Readonly<Record<string, readonly string[]>>
}

const columns: readonly Column<Listed>[] = [
  { header: 'Role', value: ({ role }) => role, isWhole: true },
  { header: 'May', value: ({ permissions }) => wordsOf(permissions) },
]

/** Each as `role check` takes it. */
const wordsOf = (permissions: Listed['permissions']): string[] =>
  Object.entries(permissions).flatMap(([resource, actions]) => actions.map((action) => `${resource}:${action}`))

export const roleListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The roles of organizations, and what each may do').action(async () => {
      const { api } = await context.connectSignedIn()
      await context.out.list(await api.organization.listRoles(), columns, { empty: 'No roles', id: 'role' })
    }),
    {
      form: 'list',
      fields: { role: 'text', permissions: 'any' },
      examples: ['postern role list', 'postern role list --json'],
    },
  )
