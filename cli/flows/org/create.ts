import { isDeepStrictEqual } from 'node:util'
import type { Organization } from '../../../shared/organization.ts'
import { parseRecord } from '../../client/json.ts'
import { nameProblem, newNameField, pictureExample, pictureProblem } from '../field-checks.ts'
import { type Flow, noSubject } from '../flow.ts'
import { inverseOf, ofGiven } from '../inverse.ts'
import type { Check } from '../listing.ts'
import { ownFieldsFlag, ownValuesIn, ownWordsOf } from '../own-fields.ts'
import {
  chooseOrganization,
  chosenOrganization,
  organizationFields,
  organizationTitle,
  toOrganization,
} from './organizations.ts'
import { type OrganizationView, whyNotPermitted } from './view.ts'

const slugProblem = (text: string): string | undefined =>
  /^[A-Za-z0-9-]{1,64}$/.test(text.trim()) ? undefined : 'A slug has letters, digits and dashes, at most 64'

const slugRefusals = ['ORGANIZATION_ALREADY_EXISTS'] as const

/** `acme-inc` for `Acme Inc.`; empty if no letters or digits remain. */
export const slugOf = (name: string): string =>
  name
    // Upper-casing expands letters such as ß to SS.
    .toUpperCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-|-$/g, '')

/** The same rule as the service's: an object or nothing. */
const metadataProblem = (text: string): string | undefined =>
  text.trim() === '' || parseRecord(text) ? undefined : 'Metadata is a JSON object, like {"plan":"pro"}'

const metadataField = {
  kind: 'text',
  label: 'Metadata',
  flag: '--metadata <json>',
  example: '{"plan":"pro"}',
  isOptional: true,
  mayBeFile: true,
  check: metadataProblem,
} as const

const logoField = {
  kind: 'text',
  label: 'Logo URL',
  flag: '--logo <url>',
  example: pictureExample,
  isOptional: true,
  check: pictureProblem,
} as const

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
  fields: ownFieldsFlag,
} as const

export const createOrganization: Flow<undefined, typeof fields, unknown, Organization> = {
  command: 'org create',
  summary: 'Create an organization, become its owner and make it the active one',
  title: 'Create an organization',
  subject: noSubject,
  fields,
  own: { of: 'organization' },
  call: '/organization/create',
  answer: organizationFields,
  examples: [
    'Acme --slug acme',
    `Acme --slug acme --metadata '{"plan":"pro"}'`,
    'Acme --slug acme --if-exists skip --json=id',
  ],
  propose: { slug: ({ name = '' }) => slugOf(name) },
  note: () => 'You become its owner, and it becomes the active one.',
  run: async (context, _, { name, slug, logo, metadata, fields: given }) => {
    const { api } = await context.signedIn()
    const made = await api.organization.create({
      name,
      slug,
      logo: logo || undefined,
      metadata: parseRecord(metadata ?? ''),
      ...ownValuesIn(given),
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
  ask: async (context, { slug }) => {
    const { api } = await context.signedIn()
    await api.organization.checkSlug({ slug })
    return { sentence: `${slug} is free`, resource: { slug, free: true } }
  },
}

const editOrganizationFields = {
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
    summary: 'a JSON object, or @file that holds one; replaces all metadata, empty removes it',
  },
  fields: ownFieldsFlag,
} as const

export const editOrganization: Flow<Organization, typeof editOrganizationFields, OrganizationView, Organization> = {
  command: 'org edit',
  summary: 'Change name, slug, logo, metadata or fields of an organization',
  title: 'Edit the organization',
  isEdit: true,
  subject: chosenOrganization,
  fields: editOrganizationFields,
  own: { of: 'organization', valuesOf: ({ fields: own }) => own },
  call: '/organization/update',
  answer: organizationFields,
  examples: ['--name "Acme Inc."', 'acme --slug acme-inc --metadata @acme.json'],
  note: () => 'An empty logo or empty metadata is removed.',
  disabledReason: (_, view) => whyNotPermitted(view, 'organization:update'),
  initial: ([organization]) => (organization ? shown(organization) : {}),
  run: async (context, { id: organizationId }, { name, slug, logo, metadata, fields: given }) => {
    const { api } = await context.signedIn()
    const data = {
      name,
      slug,
      logo: orNull(logo),
      metadata: metadata ? parseRecord(metadata) : orNull(metadata),
      ...ownValuesIn(given),
    }
    const resource = await api.organization.update({ data, organizationId })
    return { sentence: `Updated ${organizationTitle(resource)}`, status: 'updated', resource }
  },
  inverse: ({ subject, values, resource }) => {
    const changed = (one: Organization) => ({
      ...ofGiven(shown(one), values),
      fields: ownWordsOf(one, values.fields),
    })
    return inverseOf(editOrganization, {
      subject: resource,
      values: changed(subject),
      what: `Organization ${resource.name}`,
      isUnchanged: async (context) => {
        const now = await chooseOrganization(await context.signedIn(), resource.id)
        return isDeepStrictEqual(changed(now), changed(resource))
      },
    })
  },
}

const shown = ({ name, slug, logo, metadata }: Organization) => ({
  name,
  slug,
  logo: logo ?? '',
  metadata: metadata === null ? '' : JSON.stringify(metadata),
})

/** An empty text removes the value; undefined leaves it. */
const orNull = (text: string | undefined) => (text === undefined ? undefined : text || null)
