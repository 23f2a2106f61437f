import type { Organization } from '../../../shared/organization.ts'
import { visible } from '../../output/filter.ts'
import { connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'
import { type FieldPlan, type FormPlan, needed, pictureProblem, textOf, type Values } from '../form-plan.ts'

const slugProblem = (text: string) =>
  /^[A-Za-z0-9-]{1,64}$/.test(text.trim()) ? undefined : 'A slug has letters, digits and dashes, at most 64'

/** The same that the service takes: an object, or nothing. */
function metadataProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined
  } catch {
    // Told below.
  }
  return 'Metadata is a JSON object, like {"plan":"pro"}'
}

const fields: readonly FieldPlan[] = [
  { name: 'name', label: 'Name', problem: needed('A name') },
  { name: 'slug', label: 'Slug', problem: slugProblem },
  { name: 'logo', label: 'Logo URL', problem: (text, values) => pictureProblem(text, beforeOf(values)['logo']) },
  { name: 'metadata', label: 'Metadata', problem: metadataProblem },
]

const flag = (name: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`--${name}`, value]

export const createOrganization: FormPlan = {
  title: 'Create an organization',
  fields,
  note: () => 'You become its owner, and it becomes the active one.',
  command: (values) => {
    const [name, slug, logo, metadata] = fields.map((field) => textOf(values, field.name) || undefined)
    const extras = [...flag('logo', logo), ...flag('metadata', metadata)]
    return commandLine('postern', 'org', 'create', name ?? 'NAME', '--slug', slug ?? 'SLUG', ...extras)
  },
  submit: async (desk, values) => {
    const [name = '', slug = '', logo, metadata] = fields.map((field) => textOf(values, field.name))
    const extras = { ...(logo ? { logo } : {}), ...(metadata ? { metadata } : {}) }
    const made = await connectionOf(desk).api.organization.create({ name, slug, ...extras })
    return { sentence: `Created ${made.name}, the active organization now` }
  },
}

const shownOf = ({ name, slug, logo, metadata }: Organization): Values => ({
  name: visible(name),
  slug,
  logo: visible(logo ?? ''),
  metadata: metadata === null ? '' : visible(JSON.stringify(metadata)),
})

/** What the form of an organization starts with; `was` tells what of it was touched. */
export const organizationValues = (organization: Organization): Values => ({
  ...shownOf(organization),
  organizationId: organization.id,
  was: JSON.stringify(shownOf(organization)),
})

const beforeOf = ({ was = '{}' }: Values): Values => JSON.parse(was)

/** The fields that were touched. What was not is not sent: a name that we show with its controls spelled out keeps its own form. */
function touched(values: Values): Values {
  const before = beforeOf(values)
  const names = fields.map(({ name }) => name).filter((name) => values[name] !== before[name])
  return Object.fromEntries(names.map((name) => [name, textOf(values, name)]))
}

export const editOrganization: FormPlan = {
  title: 'Edit the organization',
  fields,
  note: () => 'What is left empty of logo and metadata is removed.',
  command: (values) => {
    const flags = Object.entries(touched(values)).flatMap(([name, value]) => flag(name, value))
    return commandLine('postern', 'org', 'edit', beforeOf(values)['slug'] ?? 'ORG', ...flags)
  },
  submit: async (desk, values) => {
    const { logo, metadata, ...rest } = touched(values)
    const data = {
      ...rest,
      ...(logo === undefined ? {} : { logo: logo || null }),
      ...(metadata === undefined ? {} : { metadata: metadata || null }),
    }
    if (Object.keys(data).length === 0) return { sentence: 'Nothing was changed' }
    const organizationId = values['organizationId'] ?? ''
    const { name } = await connectionOf(desk).api.organization.update({ data, organizationId })
    return { sentence: `Saved ${name}` }
  },
}
