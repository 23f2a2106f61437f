import { toJSONSchema } from 'zod'
import { MovedRecord } from '../../../shared/moving/records.ts'

/** The JSON Schema that `schema import` prints, made from the schema that `import` validates with. */
export const recordSchema = (): Readonly<Record<string, unknown>> => toJSONSchema(MovedRecord, { io: 'input' })
