import type { Organization } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { oneOrganization, organizationFields, organizationSlugs } from './organizations.ts'
import { organizationTitle } from './titles.ts'

/** Null: no organization is the active one then. */
export const switchOrganization: Flow<Organization | null, Readonly<Record<never, never>>, unknown, object> = {
  command: 'org use',
  summary: 'Make an organization the active one of this session',
  title: 'Make it the active one',
  writes: true,
  needsSession: true,
  subject: {
    argument: '<org>',
    summary: 'id, slug or name; - for none',
    key: 'organizationId',
    finder: async (ports, values, words) => {
      const find = words[0] === '-' ? () => null : await oneOrganization.finder(ports, values, words)
      return find
    },
    words: (organization) => ({ word: organization?.slug ?? '-' }),
    complete: organizationSlugs,
  },
  fields: {},
  call: '/organization/set-active',
  answer: { ...organizationFields, id: 'text?', name: 'text?', slug: 'text?', createdAt: 'date?' },
  examples: ['acme', '-'],
  run: async (ports, organization) => {
    const { api } = await ports.signedIn()
    await api.organization.setActive({ organizationId: organization?.id ?? null })
    const sentence = organization ? `Using ${organizationTitle(organization)}` : 'Using no organization'
    return { sentence, status: 'updated', resource: organization ?? { id: null, name: null, slug: null } }
  },
}
