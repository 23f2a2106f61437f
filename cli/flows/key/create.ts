import type { Flow } from '../flow.ts'
import { noActiveOrganizationError } from '../org/organizations.ts'
import type { OrganizationScope } from '../org/scope.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { machineRoles } from '../role/grantable-roles.ts'
import { roleNames } from '../role/role-names.ts'
import { chosenIdOf } from './keys.ts'
import {
  expiresField,
  limitsOf,
  nameField,
  notesOnName,
  rangesField,
  type ShownKey,
  scopesField,
  shownKey,
  shownKeyFields,
} from './new-key.ts'

const fields = {
  name: nameField,
  roles: {
    kind: 'list',
    label: 'Roles',
    flag: '--role <role...>',
    summary: 'roles that it has in the organization; without, the key is your own',
    key: 'role',
    complete: roleNames,
  },
  scopes: scopesField,
  expires: expiresField,
  ranges: rangesField,
} as const

export const createKey: Flow<OrganizationScope, typeof fields, OrganizationView, ShownKey> = {
  command: 'key create',
  summary: 'Make a key for a machine: of the organization with roles, or your own with --mine. It is shown once',
  title: 'Create a key',
  writes: true,
  needsSession: true,
  subject: {
    finder: async (ports) => {
      const organizationId = await chosenIdOf(ports)
      if (organizationId === undefined) throw noActiveOrganizationError()
      return () => ({ organizationId, org: ports.organization })
    },
    words: ({ org }) => ({ flags: org === undefined ? [] : ['--org', org] }),
  },
  fields,
  call: '/key/create',
  isFor: ({ organizationId }) => organizationId !== undefined,
  answer: shownKeyFields,
  examples: [
    'deploy --role admin --expires 30d',
    'invite --org acme --role admin --scope read invitation:create --from 203.0.113.0/24',
    'laptop --mine --scope read',
    'postern key create deploy --role admin --quiet | gh secret set POSTERN_TOKEN',
  ],
  note: () => 'The key acts as a member of its own. It is shown once, and kept nowhere.',
  disabledReason: (_, view) => whyNotPermitted(view, 'member:create'),
  options: (_, view) => ({ roles: machineRoles(view) }),
  check: ({ roles = [] }) => ({ roles: roles.length === 0 ? 'At least one role is needed' : undefined }),
  run: async (ports, { organizationId }, { name, roles, ...limits }) => {
    const { api } = await ports.signedIn()
    const made = await api.key.createKey({ name, organizationId, role: [...roles], ...limitsOf(limits) })
    const resource = shownKey(made, ports.now())
    const sentence = `Created the key ${resource.name} as ${resource.roles.join(', ')}`
    return { sentence, status: 'created', resource, secret: made.token, ...(await notesOnName({ api }, made)) }
  },
}
