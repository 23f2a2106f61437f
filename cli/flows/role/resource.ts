import { commandWith } from '../command-line.ts'
import { isOwner, type ListedRole, type OrganizationView, permissionsOf, scopeOf } from '../org/view.ts'
import { act, type Resource, type ScreenTarget } from '../resource.ts'
import { type Fact, nameList } from '../resource-fields.ts'
import { createRole, deleteRole, editRole } from './edit.ts'
import { holdersOf, roleFields, roleView } from './roles.ts'

const roleCommand = (one: ListedRole | undefined, { organization: { slug } }: OrganizationView): string =>
  commandWith(roleView, [], { given: { role: one?.role }, flags: ['--org', slug] })

const named = (chosen: readonly ListedRole[], view: OrganizationView) =>
  chosen.map((role) => ({ role, ...scopeOf(view) }))

const roleOpening = ({ role }: ListedRole, { organization: { id } }: OrganizationView): ScreenTarget => ({
  screen: 'role',
  subject: role,
  title: role,
  organizationId: id,
})

/** The roles of an organization and their permissions. */
export const roles: Resource<ListedRole, OrganizationView> = {
  noun: 'role',
  fields: {
    ...roleFields,
    name: {
      title: 'Role',
      inList: ({ role }, { self }) => (self?.role.includes(role) ? `${role} (yours)` : role),
    },
    may: { title: 'Can', inList: ({ role }, view) => permissionsOf(view, role) },
  },
  list: ['name', 'may'],
  detail: ({ role, permissions, own }, view) => [
    ...grantsOf(permissions),
    { label: 'Made by', value: own ? 'the organization' : 'the service' },
    { label: 'Owner', value: isOwner(view, [role]) ? 'yes: only owners give this role' : 'no' },
    { label: 'Held by', value: nameList(holdersOf(view.organization.members, role).map(({ user }) => user.name)) },
  ],
  id: ({ role }) => role,
  copies: { label: 'the name of the role', text: ({ role }) => role },
  label: ({ role }) => role,
  line: ({ role }, view) => `${role} ${permissionsOf(view, role)}`,
  tone: ({ role }, { self }) => (self?.role.includes(role) ? 'good' : 'plain'),
  of: (view) =>
    Object.entries(view.roles).map(([role, permissions]) => ({
      role,
      permissions,
      own: view.ownRoles?.includes(role) ?? false,
    })),
  empty: 'No roles',
  acts: [
    act(createRole, { key: ['c', 'create', 'create'], about: 'place', subjects: (_, view) => [scopeOf(view)] }),
    act(editRole, { key: ['e', 'edit', 'edit'], about: 'one', subjects: named }),
    act(deleteRole, { key: ['D', 'remove', 'delete'], about: 'several', removes: true, subjects: named }),
    {
      about: 'one',
      isOnlyInDetail: true,
      // The holders of the role, each leading to the member.
      offers: ([one], { organization }) =>
        holdersOf(organization.members, one?.role ?? '').map(({ id, user }) => ({
          kind: 'look',
          label: user.name,
          command: user.email,
          opens: { screen: 'member', subject: id, title: user.name, organizationId: organization.id },
        })),
    },
  ],
  command: roleCommand,
  own: roleOpening,
  below: (one, view) => ({
    kind: 'look',
    label: 'Who holds it',
    command: roleCommand(one, view),
    opens: roleOpening(one, view),
  }),
}

/** One line per resource that the role has permissions for. */
function grantsOf(permissions: ListedRole['permissions']): readonly Fact[] {
  const grants = Object.entries(permissions).filter(([, actions]) => actions.length > 0)
  if (grants.length === 0) return [{ label: 'Can', value: 'view it, and change nothing' }]
  return grants.map(([label, actions]) => ({ label, value: actions.join(', ') }))
}
