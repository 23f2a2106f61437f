import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Organization } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import type { Flow } from '../flow.ts'
import { oneOrganization, organizationFields } from './organizations.ts'
import { organizationTitle } from './titles.ts'
import { type OrganizationView, whyNotPermitted } from './view.ts'

export const deleteOrganization: Flow<Organization, Readonly<Record<never, never>>, OrganizationView, Organization> = {
  command: 'org delete',
  summary: 'Delete an organization with everything in it; --confirm repeats its slug, --yes is not enough',
  title: 'Delete the organization',
  writes: true,
  needsSession: true,
  subject: oneOrganization,
  fields: {},
  call: '/organization/delete',
  answer: organizationFields,
  examples: ['acme', 'acme --confirm acme'],
  consent: {
    question: ([one]) => `Delete ${one ? organizationTitle(one) : 'this organization'} for good, with all in it?`,
    typed: { what: 'slug', word: ([one]) => one?.slug, always: true },
  },
  disabledReason: (_, view) => whyNotPermitted(view, 'organization:delete'),
  run: async (ports, organization) => {
    const { api } = await ports.signedIn()
    await api.organization.remove({ organizationId: organization.id }).catch(explain)
    return { sentence: `Deleted ${organizationTitle(organization)}`, status: 'deleted', resource: organization }
  },
}

/** A refusal without a word: the service deletes none. */
function explain(error: unknown): never {
  const { code, status } = toCliError(error)
  if (code !== 'FORBIDDEN') throw error
  throw new CliError(exitCodes.forbidden, 'This service lets nobody delete an organization', {
    code,
    status,
    hint: 'Ask its owner',
    cause: error,
  })
}
