import type { FailureName } from '../../shared/errors.ts'
import { type Askers, path, type Ways } from './organization-askers.ts'
import { done, found, type Insider } from './organizations.ts'

/** Makes a role, as its owner. */
export const makeRole = (owner: Insider, role: string, permission: object = { team: ['create'] }) =>
  done(owner.post(path('create-role'), { role, permission }))

/** What the messages name in these ways. */
export const namedInRoles: Partial<Record<FailureName, string>> = {
  ROLE_CREATE_BEYOND_OWN: 'organization:delete',
  ROLE_UPDATE_BEYOND_OWN: 'organization:delete',
  ROLE_DELETE_BEYOND_OWN: 'organization:delete',
  ROLE_IN_USE: 'invitation of guest@example.com',
}

/** How each listed failure of the calls about roles is reached. */
export function roleWays({ withSettings, as, alone, outside }: Askers): Ways {
  const editor = { roleName: 'editor', data: {} }
  const outsider = (call: string, body: object) =>
    outside((person, { id: organizationId }) => person.post(path(call), { ...body, organizationId }))
  /** An administrator, and a role with a permission that they lack. */
  const withStronger = (ask: Parameters<typeof as>[1]) =>
    as('admin', async (admin, acme) => {
      await makeRole(acme.owner, 'editor', { organization: ['delete'] })
      return ask(admin, acme)
    })
  const withEditor = (ask: (owner: Insider) => ReturnType<Insider['get']>) =>
    as('owner', async (owner) => {
      await makeRole(owner, 'editor')
      return ask(owner)
    })
  return {
    listRoles: {
      NOT_A_MEMBER_FORBIDDEN: () => outside((person, { id }) => person.get(path(`list-roles?organizationId=${id}`))),
    },
    getRole: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.get(path('get-role?roleName=owner'))),
      NOT_A_MEMBER_FORBIDDEN: () =>
        outside((person, { id }) => person.get(path(`get-role?roleName=owner&organizationId=${id}`))),
      ROLE_NOT_FOUND: () => as('owner', (owner) => owner.get(path('get-role?roleId=x'))),
    },
    createRole: {
      NO_ORGANIZATION_FOR_ROLE: () =>
        alone((person) => person.post(path('create-role'), { role: 'editor', permission: {} })),
      NOT_A_MEMBER_FORBIDDEN: () => outsider('create-role', { role: 'editor', permission: {} }),
      ROLE_CREATE_FORBIDDEN: () =>
        as('member', (person) => person.post(path('create-role'), { role: 'editor', permission: {} })),
      ROLE_CREATE_BEYOND_OWN: () =>
        as('admin', (person) =>
          person.post(path('create-role'), { role: 'editor', permission: { organization: ['delete'] } }),
        ),
      ROLE_RESOURCE_UNKNOWN: () =>
        as('owner', (owner) => owner.post(path('create-role'), { role: 'editor', permission: { billing: [] } })),
      ROLE_NAME_TAKEN: () => as('owner', (owner) => owner.post(path('create-role'), { role: 'Owner', permission: {} })),
      ROLE_LIMIT_REACHED: async () => {
        const { owner } = await found(await withSettings({ ROLE_LIMIT: '0' }))
        return owner.post(path('create-role'), { role: 'editor', permission: {} })
      },
    },
    updateRole: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('update-role'), editor)),
      NOT_A_MEMBER_FORBIDDEN: () => outsider('update-role', editor),
      ROLE_UPDATE_FORBIDDEN: () => as('member', (person) => person.post(path('update-role'), editor)),
      ROLE_UPDATE_BEYOND_OWN: () => withStronger((admin) => admin.post(path('update-role'), editor)),
      ROLE_NOT_OWN: () => as('owner', (owner) => owner.post(path('update-role'), { roleName: 'admin', data: {} })),
      ROLE_NOT_FOUND: () => as('owner', (owner) => owner.post(path('update-role'), editor)),
      ROLE_RESOURCE_UNKNOWN: () =>
        withEditor((owner) => owner.post(path('update-role'), { ...editor, data: { permission: { billing: [] } } })),
      ROLE_NAME_TAKEN: () =>
        withEditor((owner) => owner.post(path('update-role'), { ...editor, data: { roleName: 'admin' } })),
    },
    deleteRole: {
      NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('delete-role'), editor)),
      NOT_A_MEMBER_FORBIDDEN: () => outsider('delete-role', editor),
      ROLE_DELETE_FORBIDDEN: () => as('member', (person) => person.post(path('delete-role'), editor)),
      ROLE_DELETE_BEYOND_OWN: () => withStronger((admin) => admin.post(path('delete-role'), editor)),
      ROLE_PREDEFINED: () => as('owner', (owner) => owner.post(path('delete-role'), { roleName: 'member' })),
      ROLE_NOT_FOUND: () => as('owner', (owner) => owner.post(path('delete-role'), editor)),
      ROLE_IN_USE: () =>
        as('owner', async (owner, { invite }) => {
          await makeRole(owner, 'editor')
          await invite('guest@example.com', 'editor')
          return owner.post(path('delete-role'), editor)
        }),
    },
  }
}
