import type { Organization } from '../../../shared/organization.ts'
import type { Flow } from '../flow.ts'
import { newNameField } from '../name-field.ts'
import { logoField, metadataField, metadataIn, slugProblem, slugRefusals } from './fields.ts'
import { chosenOrganization, organizationFields, organizationTitle } from './organizations.ts'
import { type OrganizationView, whyNotPermitted } from './view.ts'

const fields = {
  name: newNameField,
  slug: {
    kind: 'text',
    label: 'Slug',
    flag: '--slug <slug>',
    summary: 'new slug',
    isOptional: true,
    isNeverEmpty: true,
    check: slugProblem,
    refusals: slugRefusals,
  },
  logo: { ...logoField, summary: 'address of the new logo; empty removes it' },
  metadata: {
    ...metadataField,
    summary: 'a JSON object, or @file that holds one; takes the place of all of it, empty removes it',
  },
} as const

export const editOrganization: Flow<Organization, typeof fields, OrganizationView, Organization> = {
  command: 'org edit',
  summary: 'Change name, slug, logo or metadata of an organization',
  title: 'Edit the organization',
  writes: true,
  needsSession: true,
  isEdit: true,
  subject: chosenOrganization,
  fields,
  call: '/organization/update',
  answer: organizationFields,
  examples: ['--name "Acme Inc."', 'acme --slug acme-inc --metadata @acme.json'],
  note: () => 'What is left empty of logo and metadata is removed.',
  disabledReason: (_, view) => whyNotPermitted(view, 'organization:update'),
  initial: ([organization]) => (organization ? shown(organization) : {}),
  run: async (ports, { id: organizationId }, { name, slug, logo, metadata }) => {
    const { api } = await ports.signedIn()
    const data = { name, slug, logo: orNull(logo), metadata: metadata ? metadataIn(metadata) : orNull(metadata) }
    const resource = await api.organization.update({ data, organizationId })
    return { sentence: `Updated ${organizationTitle(resource)}`, status: 'updated', resource }
  },
}

const shown = ({ name, slug, logo, metadata }: Organization) => ({
  name,
  slug,
  logo: logo ?? '',
  metadata: metadata === null ? '' : JSON.stringify(metadata),
})

/** Emptied, it is removed; not given, it stays. */
const orNull = (text: string | undefined) => (text === undefined ? undefined : text || null)
