import { usageError } from '../../output/cli-error.ts'
import { countText } from '../../output/words.ts'
import { type Flow, flag, type NoFields, type Subject } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { inverseOf } from '../inverse.ts'
import { inOrganization, type OrganizationScope, workingOrganizationId } from '../org/organizations.ts'
import {
  type ListedRole,
  listedRoles,
  type OrganizationView,
  permissionNames,
  permissionsOfRoles,
  permissionWords,
  pickRole,
  toListedRole,
  whyNotPermitted,
} from '../org/view.ts'
import { permissionsOfWords } from './permission-words.ts'
import { roleFields } from './roles.ts'

/** A role, and the organization that it belongs to. */
interface NamedRole extends OrganizationScope {
  readonly role: ListedRole
}

const roleNamesOfOwn = async (context: FlowContext): Promise<readonly string[]> =>
  (await listedRoles(context)).flatMap(({ role, own }) => (own ? role : []))

const roleSubject: Subject<NamedRole> = {
  argument: '<role>',
  summary: 'its name, as role list shows it',
  key: 'roleName',
  finder: async (context) => {
    const organizationId = await workingOrganizationId(context)
    const listed = await listedRoles(context)
    return (word = '') => ({ role: pickRole(listed, word), organizationId, org: context.organization })
  },
  words: ({ role, org }) => ({ word: role.role, flags: flag('org', org) }),
  complete: roleNamesOfOwn,
}

const permissionField = {
  kind: 'list',
  label: 'Permissions',
  flag: '--permission <permission...>',
  example: 'team:create',
  key: 'permission',
  isOptional: true,
  complete: permissionNames,
  refusals: ['INVALID_RESOURCE'],
} as const

const wordsOf = ({ permissions }: ListedRole): readonly string[] => permissionWords(permissions)

/** What the member who is looking can put into a role. */
const ownPermissions = (_: readonly unknown[], { roles, self }: OrganizationView) => ({
  permissions: permissionsOfRoles(roles, self?.role ?? []).map((word) => ({ id: word, label: word })),
})

const nameRefusals = ['ROLE_NAME_IS_ALREADY_TAKEN']

const createFields = {
  name: { kind: 'text', label: 'Name', argument: '<name>', summary: 'its name', key: 'role', refusals: nameRefusals },
  permissions: { ...permissionField, summary: 'what it allows, such as member:create; only what you may do yourself' },
} as const

export const createRole: Flow<OrganizationScope, typeof createFields, OrganizationView, ListedRole> = {
  command: 'role create',
  summary: 'Create a role of the organization, with permissions that you have yourself',
  title: 'Create a role',
  subject: inOrganization,
  fields: createFields,
  call: '/organization/create-role',
  answer: roleFields,
  examples: ['editor --permission team:create team:update', 'guest --org acme'],
  disabledReason: (_, view) => whyNotPermitted(view, 'ac:create'),
  options: ownPermissions,
  run: async (context, { organizationId }, { name, permissions }) => {
    const { api } = await context.signedIn()
    const permission = permissionsOfWords(permissions)
    const { roleData } = await api.role.createRole({ organizationId, role: name, permission })
    return { sentence: `Created role ${roleData.role}`, status: 'created', resource: toListedRole(roleData) }
  },
}

const editFields = {
  name: {
    kind: 'text',
    label: 'Name',
    flag: '--name <name>',
    summary: 'new name; members and invitations keep the role',
    isOptional: true,
    isNeverEmpty: true,
    refusals: nameRefusals,
  },
  permissions: { ...permissionField, summary: 'what it allows instead of what it allows now' },
  none: {
    kind: 'toggle',
    label: 'Nothing',
    flag: '--empty',
    summary: 'it allows nothing any more',
    onlyInCommands: true,
  },
} as const

const whyNotOwn = (several: readonly NamedRole[]): string | undefined =>
  several.some(({ role }) => !role.own) ? 'it is a role of the service' : undefined

export const editRole: Flow<NamedRole, typeof editFields, OrganizationView, ListedRole> = {
  command: 'role edit',
  summary: 'Change the permissions or the name of a role of the organization',
  title: 'Edit the role',
  isEdit: true,
  subject: roleSubject,
  fields: editFields,
  call: '/organization/update-role',
  answer: roleFields,
  examples: ['editor --permission team:create', 'editor --name writer'],
  note: () => 'The change counts at once for everybody who has the role.',
  disabledReason: (several, view) => whyNotOwn(several) ?? whyNotPermitted(view, 'ac:update'),
  initial: ([one]) => (one ? { name: one.role.role, permissions: wordsOf(one.role) } : {}),
  options: ownPermissions,
  run: async (context, { role, organizationId }, { name, permissions, none }) => {
    if (none && permissions) throw usageError('--empty and --permission exclude each other', 'Give one of them')
    const { api } = await context.signedIn()
    const permission = none ? {} : permissions && permissionsOfWords(permissions)
    const data = { ...(name && { roleName: name }), ...(permission && { permission }) }
    const { roleData } = await api.role.updateRole({ organizationId, roleName: role.role, data })
    return { sentence: `Updated role ${roleData.role}`, status: 'updated', resource: toListedRole(roleData) }
  },
  inverse: ({ subject, resource }) =>
    inverseOf(editRole, {
      subject: { ...subject, role: resource },
      values: { name: subject.role.role, permissions: wordsOf(subject.role), none: wordsOf(subject.role).length === 0 },
      what: `Role ${resource.role}`,
      isUnchanged: async (context) => {
        const { api } = await context.signedIn()
        const roles = await api.role.listRoles({ organizationId: subject.organizationId })
        return roles.some((now) => isSame(toListedRole(now), resource))
      },
    }),
}

const isSame = (one: ListedRole, other: ListedRole): boolean =>
  one.role === other.role && wordsOf(one).join(' ') === wordsOf(other).join(' ')

export const deleteRole: Flow<NamedRole, NoFields, OrganizationView, ListedRole> = {
  command: 'role delete',
  summary: 'Delete roles of the organization that nobody has',
  title: 'Delete the role',
  subject: { ...roleSubject, argument: '<role...>' },
  fields: {},
  bulk: 'subject',
  call: '/organization/delete-role',
  answer: roleFields,
  examples: ['editor', 'editor --yes'],
  consent: { question: (several) => `Delete ${roleCount(several)}?` },
  disabledReason: (several, view) => whyNotOwn(several) ?? whyNotPermitted(view, 'ac:delete'),
  run: async (context, { role, organizationId }) => {
    const { api } = await context.signedIn()
    await api.role.deleteRole({ organizationId, roleName: role.role })
    return { sentence: `Deleted role ${role.role}`, status: 'deleted', resource: role }
  },
  doneWith: (several) => `Deleted ${roleCount(several)}`,
}

/** The name of one, or the number of several. */
const roleCount = (several: readonly NamedRole[]): string =>
  several.length === 1 ? `role ${several[0]?.role.role}` : `${countText(several.length)} roles`
