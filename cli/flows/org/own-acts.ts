import type { Organization } from '../../../shared/organization.ts'
import type { Flow, NoFields } from '../flow.ts'
import { explainOff } from '../refusals.ts'
import {
  chosenOrganization,
  organizationFields,
  organizationSlugs,
  organizationSubject,
  organizationTitle,
} from './organizations.ts'
import { type OrganizationView, whyNotLeave, whyNotPermitted } from './view.ts'

export const leaveOrganization: Flow<Organization, NoFields, OrganizationView, Organization> = {
  command: 'org leave',
  summary: 'Leave an organization',
  title: 'Leave',
  subject: chosenOrganization,
  fields: {},
  call: '/organization/leave',
  answer: organizationFields,
  examples: ['', 'acme --yes'],
  consent: {
    question: ([one]) =>
      `Leave ${one ? organizationTitle(one) : 'this organization'}? Keys and trust rules that you are responsible for stop working until somebody adopts them.`,
  },
  disabledReason: (_, view) => whyNotLeave(view),
  run: async (context, organization) => {
    const { api } = await context.signedIn()
    await api.member.leave({ organizationId: organization.id })
    return { sentence: `Left ${organizationTitle(organization)}`, status: 'deleted', resource: organization }
  },
}

export const deleteOrganization: Flow<Organization, NoFields, OrganizationView, Organization> = {
  command: 'org delete',
  summary: 'Delete an organization with everything in it; needs --confirm SLUG, --yes is not enough',
  title: 'Delete the organization',
  subject: organizationSubject,
  fields: {},
  call: '/organization/delete',
  answer: organizationFields,
  examples: ['acme', 'acme --confirm acme'],
  consent: {
    question: ([one]) =>
      `Delete ${one ? organizationTitle(one) : 'this organization'} for good, with everything in it?`,
    typed: { what: 'slug', word: ([one]) => one?.slug, always: true },
  },
  disabledReason: (_, view) => whyNotPermitted(view, 'organization:delete'),
  run: async (context, organization) => {
    const { api } = await context.signedIn()
    await api.organization
      .remove({ organizationId: organization.id })
      // A refusal without a message.
      .catch(explainOff('FORBIDDEN', 'organizations cannot be deleted'))
    return { sentence: `Deleted ${organizationTitle(organization)}`, status: 'deleted', resource: organization }
  },
}

/** Null: switches to no organization. */
export const switchOrganization: Flow<Organization | null, NoFields, unknown, object> = {
  command: 'org use',
  summary: 'Make an organization the active one of this session',
  title: 'Make it the active one',
  subject: {
    argument: '<org>',
    summary: 'id, slug or name; - for none',
    key: 'organizationId',
    finder: async (context, values, words) =>
      words[0] === '-' ? () => null : organizationSubject.finder(context, values, words),
    words: (organization) => ({ word: organization?.slug ?? '-' }),
    complete: organizationSlugs,
  },
  fields: {},
  call: '/organization/set-active',
  answer: { ...organizationFields, id: 'text?', name: 'text?', slug: 'text?', createdAt: 'date?' },
  examples: ['acme', '-'],
  run: async (context, organization) => {
    const { api } = await context.signedIn()
    await api.organization.setActive({ organizationId: organization?.id ?? null })
    const sentence = organization ? `Using ${organizationTitle(organization)}` : 'Using no organization'
    return { sentence, status: 'updated', resource: organization ?? { id: null, name: null, slug: null } }
  },
}
