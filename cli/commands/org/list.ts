import { Command } from 'commander'
import type { ListedOrganization } from '../../../shared/organization.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { organizationColumns, organizationFields } from '../../flows/org/organizations.ts'
import type { Column } from '../../output/cell.ts'

type Listed = ListedOrganization & { readonly active: boolean }

const columns: readonly Column<Listed>[] = [
  ...organizationColumns,
  { header: 'Active', value: ({ active }) => active },
  { header: 'Created', value: ({ createdAt }) => createdAt },
]

export const orgListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The organizations of the signed-in user').action(async () => {
      const { api } = await context.connectSignedIn()
      const [organizations, view] = await Promise.all([api.organization.list(), api.session.getSession()])
      const active = view?.session.activeOrganizationId
      const listed = organizations.map((organization) => ({ ...organization, active: organization.id === active }))
      await context.out.list(listed, columns, { empty: 'No organizations: postern org create NAME --slug SLUG' })
    }),
    {
      form: 'list',
      fields: { ...organizationFields, soleMember: 'flag?', active: 'flag' },
      examples: ['postern org list', 'postern org list --json=slug,active'],
    },
  )
