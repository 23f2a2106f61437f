import type { Organization } from '../../../shared/organization.ts'
import { type Flow, noSubject } from '../flow.ts'
import type { Check } from '../listing.ts'
import { nameProblem } from '../name-field.ts'
import { logoField, metadataField, metadataIn, slugOf, slugProblem, slugRefusals } from './fields.ts'
import { organizationFields, organizationTitle, toOrganization } from './organizations.ts'

const fields = {
  name: { kind: 'text', label: 'Name', argument: '<name>', summary: 'its name', check: nameProblem },
  slug: {
    kind: 'text',
    label: 'Slug',
    flag: '--slug <slug>',
    summary: 'its name in addresses and commands: letters, digits and dashes',
    check: slugProblem,
    refusals: slugRefusals,
  },
  logo: { ...logoField, summary: 'address of its logo' },
  metadata: { ...metadataField, summary: 'a JSON object, or @file that holds one' },
} as const

export const createOrganization: Flow<undefined, typeof fields, unknown, Organization> = {
  command: 'org create',
  summary: 'Create an organization, be its owner and make it the active one',
  title: 'Create an organization',
  writes: true,
  needsSession: true,
  subject: noSubject,
  fields,
  call: '/organization/create',
  answer: organizationFields,
  examples: [
    'Acme --slug acme',
    `Acme --slug acme --metadata '{"plan":"pro"}'`,
    'Acme --slug acme --if-exists skip --json=id',
  ],
  propose: { slug: ({ name = '' }) => slugOf(name) },
  note: () => 'You become its owner, and it becomes the active one.',
  run: async (ports, _, { name, slug, logo, metadata }) => {
    const { api } = await ports.signedIn()
    const made = await api.organization.create({
      name,
      slug,
      logo: logo || undefined,
      metadata: metadataIn(metadata ?? ''),
    })
    const sentence = `Created ${organizationTitle(made)}, the active organization now`
    return { sentence, status: 'created', resource: toOrganization(made) }
  },
}

const slugCheckFields = {
  slug: { kind: 'text', label: 'Slug', argument: '<slug>', summary: 'letters, digits and dashes' },
} as const

export const slugCheck: Check<typeof slugCheckFields> = {
  command: 'org slug check',
  summary: 'Whether a slug is free; exit 7 when it is taken',
  fields: slugCheckFields,
  call: '/organization/check-slug',
  answer: { slug: 'text', free: 'flag' },
  examples: ['acme'],
  ask: async (ports, { slug }) => {
    const { api } = await ports.signedIn()
    await api.organization.checkSlug({ slug })
    return { sentence: `${slug} is free`, resource: { slug, free: true } }
  },
}
