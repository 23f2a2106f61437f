import type { Organization } from '../../../shared/organization.ts'
import { actionOf } from '../action.ts'
import { commandWith } from '../command-line.ts'
import { pagedCommand } from '../paged.ts'
import { act, countOf, type Resource } from '../resource.ts'
import { lookAtWebhooks } from '../webhook/resource.ts'
import { organizationTrail } from './activity.ts'
import { createOrganization, editOrganization } from './create.ts'
import { organizationSheet } from './list.ts'
import { organizationFields, organizationTitle, toOrganization } from './organizations.ts'
import { deleteOrganization, leaveOrganization, switchOrganization } from './own-acts.ts'
import { type OrganizationView, whyNotReadTrail } from './view.ts'

/** A user's organizations, and the one that the session works in. */
interface OrganizationsView {
  readonly organizations: readonly Organization[]
  readonly active: Organization | undefined
}

export const workInNone = { ...actionOf(switchOrganization, [null]), label: 'Work in no organization' }

/** What a list and a detail of organizations have in common. */
const sharedByViews = {
  noun: 'organization',
  detail: ['name', 'slug', 'logo', 'metadata', 'fields', 'createdAt', 'id'],
  id: ({ id }) => id,
  copies: { label: 'the id of the organization', text: ({ id }) => id },
  label: ({ name }) => name,
  line: organizationTitle,
  command: (one) => commandWith(organizationSheet, [], { given: { org: one?.slug } }),
} satisfies Partial<Resource<Organization, unknown>>

/** The organizations of the signed-in user. */
export const organizations: Resource<Organization, OrganizationsView> = {
  ...sharedByViews,
  fields: {
    ...organizationFields,
    isActive: { title: '', inList: (one, { active }) => (one.id === active?.id ? 'active' : '') },
  },
  list: ['name', 'slug', 'createdAt', 'isActive'],
  tone: ({ id }, { active }) => (id === active?.id ? 'good' : 'plain'),
  of: ({ organizations: all }) => all,
  empty: (_, create) => `You are in no organization yet. ${create} creates one; an invitation shows up at home (1).`,
  acts: [
    act(createOrganization, { key: ['c', 'create', 'create'], about: 'place', subjects: () => [undefined] }),
    act(switchOrganization, { about: 'one', subjects: (chosen) => chosen }),
    {
      about: 'place',
      offers: (_, { active }) => (active ? [{ kind: 'action', action: workInNone }] : []),
    },
  ],
  own: ({ id, name }) => ({ screen: 'organization', subject: id, title: name }),
}

const itself = (_: readonly Organization[], { organization }: OrganizationView) => [toOrganization(organization)]

/** Actions on an organization as a whole. */
export const organizationSettings: Resource<Organization, OrganizationView> = {
  ...sharedByViews,
  fields: organizationFields,
  list: ['name'],
  of: ({ organization }) => [organization],
  empty: '',
  acts: [
    act(editOrganization, { key: ['e', 'edit', 'edit'], about: 'one', subjects: itself }),
    act(leaveOrganization, { about: 'one', removes: true, subjects: itself }),
    act(deleteOrganization, {
      key: ['D', 'remove', 'delete'],
      about: 'one',
      removes: true,
      subjects: itself,
      details: (_, { organization: { members, teams } }) => [
        `${countOf({ noun: 'member' }, members.length)}, ${countOf({ noun: 'team' }, teams?.length ?? 0)}`,
      ],
    }),
    { key: ['w', 'webhooks', 'webhooks'], about: 'one', offers: (_, view) => [lookAtWebhooks(view)] },
    {
      about: 'one',
      // For members who can change it.
      offers: (_, view) => {
        const trail = organizationTrail(view)
        return [
          {
            kind: 'look',
            label: 'Activity',
            command: pagedCommand(trail),
            disabledReason: whyNotReadTrail(view),
            opens: { screen: 'trail', title: 'Activity', trail },
          },
        ]
      },
    },
  ],
}
