import { toJSONSchema } from 'zod'
import { OrganizationDocument } from './schema.ts'

/** The JSON Schema that `schema org` prints, made from the schema that `org apply` validates with. */
export const organizationSchema = (): Readonly<Record<string, unknown>> =>
  toJSONSchema(OrganizationDocument, { io: 'input' })
