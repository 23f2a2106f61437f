import { Command } from 'commander'
import type { ListedOrganization } from '../../../shared/organization.ts'
import { about } from '../../about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import { organizationColumns, organizationFields } from './organizations.ts'

type Listed = ListedOrganization & { readonly active: boolean }

const listedFields = { ...organizationFields, soleMember: 'flag?', active: 'flag' } satisfies Record<
  keyof Listed,
  FieldType
>

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
      fields: listedFields,
      examples: ['postern org list', 'postern org list --json=slug,active'],
    },
  )
