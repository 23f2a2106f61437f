import type { Organization } from '../../../shared/organization.ts'
import { actionOf } from '../action.ts'
import { commandWith } from '../command-line.ts'
import { act, type Resource } from '../resource.ts'
import { createOrganization } from './create.ts'
import { organizationSheet } from './list.ts'
import { organizationFields, organizationTitle } from './organizations.ts'
import { switchOrganization } from './own-acts.ts'

/** The organizations of a person, and the one that the session works in. */
export interface OrganizationsView {
  readonly organizations: readonly Organization[]
  readonly active: Organization | undefined
}

/** To work in no organization. */
export const workInNone = { ...actionOf(switchOrganization, [null]), label: 'Work in no organization' }

/** The organizations that a person is a member of. */
export const organizations: Resource<Organization, OrganizationsView> = {
  noun: 'organization',
  fields: {
    ...organizationFields,
    isActive: { title: '', inList: (one, { active }) => (one.id === active?.id ? 'active' : '') },
  },
  list: ['name', 'slug', 'createdAt', 'isActive'],
  detail: ['name', 'slug', 'logo', 'metadata', 'createdAt', 'id'],
  id: ({ id }) => id,
  copies: { label: 'the id of the organization', text: ({ id }) => id },
  label: ({ name }) => name,
  line: organizationTitle,
  tone: ({ id }, { active }) => (id === active?.id ? 'good' : 'plain'),
  of: ({ organizations: all }) => all,
  empty: 'You are in no organization yet. c creates one; an invitation shows up at home (1).',
  acts: [
    act(createOrganization, { key: ['c', 'create', 'create'], about: 'place', subjects: () => [undefined] }),
    act(switchOrganization, { about: 'one', subjects: (chosen) => chosen }),
    {
      about: 'place',
      offers: (_, { active }) => (active ? [{ kind: 'action', action: workInNone }] : []),
    },
  ],
  command: (one) => commandWith(organizationSheet, [], { given: { org: one?.slug } }),
  own: ({ id, name }) => ({ screen: 'organization', subject: id, title: name }),
}
