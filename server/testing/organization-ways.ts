import { invitationWays } from './invitation-ways.ts'
import { memberWays } from './member-ways.ts'
import { type Askers, createAskers, path, type Ways } from './organization-askers.ts'
import { found, newSlug, serverHeaders } from './organizations.ts'
import { roleWays } from './role-ways.ts'
import type { TestService } from './service.ts'
import { teamWays } from './team-ways.ts'

/** How each listed failure of the organization's calls is reached. */
export const organizationWays = (service: () => TestService): Ways => {
  const askers = createAskers(service)
  return {
    ...organizations(askers),
    ...memberWays(askers),
    ...invitationWays(askers),
    ...roleWays(askers),
    ...teamWays(askers),
  }
}

const organizations = ({ service, withSettings, as, alone, outside }: Askers): Ways => ({
  create: {
    ORGANIZATION_CREATION_FORBIDDEN: async () => {
      const person = await (await withSettings({ ORGANIZATION_CREATION: 'off' })).person()
      return person.post(path('create'), { name: 'Acme', slug: newSlug() })
    },
    ORGANIZATION_LIMIT_REACHED: async () => {
      const { owner } = await found(await withSettings({ ORGANIZATION_LIMIT: '1' }))
      return owner.post(path('create'), { name: 'Acme', slug: newSlug() })
    },
    ORGANIZATION_EXISTS: () =>
      as('owner', (owner, { slug }) => owner.post(path('create'), { name: 'Acme', slug: slug.toUpperCase() })),
    USER_NOT_FOUND: () =>
      service()
        .visitor()
        .post(path('create'), { name: 'Acme', slug: newSlug(), userId: 'no-such-user' }, serverHeaders),
  },
  checkSlug: { SLUG_TAKEN: () => outside((person, { slug }) => person.post(path('check-slug'), { slug })) },
  update: {
    USER_NOT_FOUND_UNAUTHORIZED: () => service().visitor().post(path('update'), { data: {} }),
    ORGANIZATION_NOT_FOUND: () => alone((person) => person.post(path('update'), { data: {} })),
    NOT_A_MEMBER: () =>
      outside((person, { id: organizationId }) => person.post(path('update'), { data: {}, organizationId })),
    ORGANIZATION_UPDATE_FORBIDDEN: () => as('member', (person) => person.post(path('update'), { data: {} })),
    ORGANIZATION_EXISTS: async () => {
      const { slug } = await found(service())
      return as('owner', (owner) => owner.post(path('update'), { data: { slug } }))
    },
  },
  remove: {
    NOT_A_MEMBER: () => outside((person, { id: organizationId }) => person.post(path('delete'), { organizationId })),
    ORGANIZATION_DELETE_FORBIDDEN: () =>
      as('admin', (person, { id: organizationId }) => person.post(path('delete'), { organizationId })),
    ORGANIZATION_DELETION_OFF: async () => {
      const { id: organizationId, owner } = await found(await withSettings({ ORGANIZATION_DELETION: 'off' }))
      return owner.post(path('delete'), { organizationId })
    },
  },
  getOrganization: {
    NOT_A_MEMBER_FORBIDDEN: () =>
      outside((person, { id }) => person.get(path(`get-organization?organizationId=${id}`))),
  },
  getFullOrganization: {
    NOT_A_MEMBER_FORBIDDEN: () =>
      outside((person, { slug }) => person.get(path(`get-full-organization?organizationSlug=${slug}`))),
  },
  setActive: {
    NOT_A_MEMBER_FORBIDDEN: () =>
      outside((person, { id: organizationId }) => person.post(path('set-active'), { organizationId })),
  },
  hasPermission: {
    NO_ACTIVE_ORGANIZATION: () => alone((person) => person.post(path('has-permission'), { permissions: {} })),
    NOT_A_MEMBER_UNAUTHORIZED: () =>
      outside((person, { id: organizationId }) =>
        person.post(path('has-permission'), { organizationId, permissions: {} }),
      ),
  },
})
