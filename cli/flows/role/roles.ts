import type { MemberView } from '../../../shared/organization.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, Sheet } from '../listing.ts'
import { type ListedMember, membersOf, toListedMember } from '../member/members.ts'
import { type ListedRole, listedRoles, permissionWords, pickRole, roleNames } from '../org/view.ts'
import { columnsOf, type FieldsOf } from '../resource-fields.ts'

export const roleFields = {
  role: { title: 'Role', type: 'text' },
  permissions: { title: 'Can', type: 'any', value: ({ permissions }) => permissionWords(permissions) },
  own: { title: 'Own', type: 'flag' },
} as const satisfies FieldsOf<ListedRole, ListedRole>

export const roleList: Listing<ListedRole> = {
  command: 'role list',
  summary: 'The roles of the service and of the organization, with their permissions',
  fields: {},
  call: '/organization/list-roles',
  answer: roleFields,
  columns: columnsOf<ListedRole>(roleFields, ['role', 'permissions', 'own']),
  id: 'role',
  empty: 'No roles',
  examples: ['', '--json'],
  list: listedRoles,
}

interface ShownRole extends ListedRole {
  /** The holders in the organization; null without an organization. */
  readonly members: readonly ListedMember[] | null
}

const shown = {
  ...roleFields,
  members: { title: 'Held by', type: 'any', value: ({ members }) => members?.map(({ email }) => email) },
} as const satisfies FieldsOf<ShownRole, ShownRole>

const fields = {
  role: {
    kind: 'text',
    label: 'Role',
    argument: '<role>',
    summary: 'its name, as role list shows it',
    complete: roleNames,
  },
} as const

export const roleView: Sheet<ShownRole, typeof fields> = {
  command: 'role view',
  summary: 'The permissions of a role, and who holds it in the organization',
  fields,
  call: '/organization/list-roles',
  answer: shown,
  columns: columnsOf<ShownRole>(shown, Object.keys(shown)),
  examples: ['admin', 'owner --org acme --json=members'],
  view: async (context, { role }) => {
    const [listed, members] = await Promise.all([listedRoles(context), membersIfAny(context)])
    const found = pickRole(listed, role)
    return { ...found, members: members && holdersOf(members, found.role).map(toListedMember) }
  },
}

/** The permissions of a role can be shown without an organization. */
const membersIfAny = (context: FlowContext): Promise<readonly MemberView[] | null> =>
  membersOf(context).catch((error: unknown) => {
    if (context.organization === undefined && toCliError(error).code === 'NO_ACTIVE_ORGANIZATION') return null
    throw error
  })

export const holdersOf = (members: readonly MemberView[], role: string): readonly MemberView[] =>
  members.filter((member) => member.role.includes(role))
