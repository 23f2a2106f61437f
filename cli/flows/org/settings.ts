import type { Organization } from '../../../shared/organization.ts'
import { commandWith } from '../command-line.ts'
import { act, countOf, type Resource } from '../resource.ts'
import { organizationActivity } from './activity.ts'
import { editOrganization } from './create.ts'
import { organizationSheet } from './list.ts'
import { organizationFields, organizationTitle, toOrganization } from './organizations.ts'
import { deleteOrganization, leaveOrganization } from './own-acts.ts'
import { namesWithin, type OrganizationView, whyNotPermitted } from './view.ts'

const itself = (_: readonly Organization[], { organization }: OrganizationView) => [toOrganization(organization)]

/** What is done with an organization as a whole. */
export const organizationSettings: Resource<Organization, OrganizationView> = {
  noun: 'organization',
  fields: organizationFields,
  list: ['name'],
  detail: ['name', 'slug', 'logo', 'metadata', 'createdAt', 'id'],
  id: ({ id }) => id,
  copies: { label: 'the id of the organization', text: ({ id }) => id },
  label: ({ name }) => name,
  line: organizationTitle,
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
    {
      about: 'one',
      // For those who may change it.
      offers: (_, view) => {
        const { id: organizationId, slug } = view.organization
        const command = commandWith(organizationActivity, [], { flags: ['--org', slug] })
        return [
          {
            kind: 'look',
            label: 'Activity',
            command,
            disabledReason: whyNotPermitted(view, 'organization:update'),
            opens: {
              screen: 'trail',
              title: 'Activity',
              trail: {
                command,
                names: namesWithin(view),
                ask:
                  ({ api }) =>
                  (query) =>
                    api.audit.listOrganizationActivity({ ...query, organizationId }),
              },
            },
          },
        ]
      },
    },
  ],
  command: (one) => commandWith(organizationSheet, [], { given: { org: one?.slug } }),
}
