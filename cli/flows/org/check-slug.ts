import type { Check } from '../listing.ts'

const fields = {
  slug: { kind: 'text', label: 'Slug', argument: '<slug>', summary: 'letters, digits and dashes' },
} as const

export const slugCheck: Check<typeof fields> = {
  command: 'org slug check',
  summary: 'Whether a slug is free; exit 7 when it is taken',
  fields,
  call: '/organization/check-slug',
  answer: { slug: 'text', free: 'flag' },
  examples: ['acme'],
  ask: async (ports, { slug }) => {
    const { api } = await ports.signedIn()
    await api.organization.checkSlug({ slug })
    return { sentence: `${slug} is free`, resource: { slug, free: true } }
  },
}
