import type { ListedOrganization } from '../../../shared/organization.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import { commandFor } from '../command-line.ts'
import type { Listing } from '../listing.ts'
import { createOrganization } from './create.ts'
import { organizationFields } from './organizations.ts'

type Listed = ListedOrganization & { readonly active: boolean }

const listedFields = { ...organizationFields, soleMember: 'flag?', active: 'flag' } satisfies Record<
  keyof Listed,
  FieldType
>

const columns: readonly Column<Listed>[] = [
  { header: 'Slug', value: ({ slug }) => slug },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Active', value: ({ active }) => active },
  { header: 'Created', value: ({ createdAt }) => createdAt },
  { header: 'ID', value: ({ id }) => id, id: 'argument' },
]

export const organizationList: Listing<Listed> = {
  command: 'org list',
  summary: 'The organizations of the signed-in user',
  fields: {},
  call: '/organization/list',
  answer: listedFields,
  columns,
  empty: `No organizations: ${commandFor(createOrganization, [undefined])}`,
  examples: ['', '--json=slug,active'],
  list: async (ports) => {
    const { api } = await ports.signedIn()
    const [organizations, view] = await Promise.all([api.organization.list(), api.session.getSession()])
    const active = view?.session.activeOrganizationId
    return organizations.map((organization) => ({ ...organization, active: organization.id === active }))
  },
}
