import { toJSONSchema } from 'zod'
import { OrganizationDocument } from './schema.ts'

/** What `schema org` publishes: the very schema that `org apply` reads by, for editors and checks. */
export const organizationSchema = (): Readonly<Record<string, unknown>> =>
  toJSONSchema(OrganizationDocument, { io: 'input' })
