import type { Organization } from '../../../shared/organization.ts'
import { fullTime } from '../text/session-text.ts'
import type { Detail } from './detail.ts'

export const organizationDetail = ({ name, slug, logo, metadata, createdAt, id }: Organization): Detail => ({
  title: name,
  facts: [
    { label: 'Name', value: name },
    { label: 'Slug', value: slug },
    { label: 'Logo', value: logo ?? '-' },
    { label: 'Metadata', value: metadata === null ? '-' : JSON.stringify(metadata) },
    { label: 'Since', value: fullTime(createdAt) },
    { label: 'ID', value: id },
  ],
})
