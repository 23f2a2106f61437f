import type { ListedOrganization } from '../../../shared/organization.ts'
import { commandFor } from '../command-line.ts'
import type { Listing } from '../listing.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'
import { createOrganization } from './create.ts'
import { organizationFields } from './organizations.ts'

type Listed = ListedOrganization & { readonly active: boolean }

const listedFields = {
  ...organizationFields,
  id: { title: 'ID', type: 'text', id: 'argument' },
  soleMember: { title: 'Alone', type: 'flag?' },
  active: { title: 'Active', type: 'flag' },
} as const satisfies FieldsOf<Listed, Listed>

export const organizationList: Listing<Listed> = {
  command: 'org list',
  summary: 'The organizations of the signed-in user',
  fields: {},
  call: '/organization/list',
  answer: listedFields,
  columns: columnsOf<Listed>(listedFields, ['slug', 'name', 'active', 'createdAt', 'id']),
  empty: `No organizations: ${commandFor(createOrganization, [undefined])}`,
  examples: ['', '--json=slug,active'],
  list: async (ports) => {
    const { api } = await ports.signedIn()
    const [organizations, view] = await Promise.all([api.organization.list(), api.session.getSession()])
    const active = view?.session.activeOrganizationId
    return organizations.map((organization) => ({ ...organization, active: organization.id === active }))
  },
}
