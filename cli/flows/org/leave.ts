import type { Organization } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { chosenOrganization, organizationFields } from './organizations.ts'
import { organizationTitle } from './titles.ts'
import { type OrganizationView, whyNotLeave } from './view.ts'

export const leaveOrganization: Flow<Organization, Readonly<Record<never, never>>, OrganizationView, Organization> = {
  command: 'org leave',
  summary: 'Leave an organization',
  title: 'Leave',
  writes: true,
  needsSession: true,
  subject: chosenOrganization,
  fields: {},
  call: '/organization/leave',
  answer: organizationFields,
  examples: ['', 'acme --yes'],
  consent: {
    question: ([one]) =>
      `Leave ${one ? organizationTitle(one) : 'this organization'}? Keys and trust rules that you are responsible for do nothing then, until somebody adopts them.`,
  },
  disabledReason: (_, view) => whyNotLeave(view),
  run: async (ports, organization) => {
    const { api } = await ports.signedIn()
    await api.member.leave({ organizationId: organization.id })
    return { sentence: `Left ${organizationTitle(organization)}`, status: 'deleted', resource: organization }
  },
}
