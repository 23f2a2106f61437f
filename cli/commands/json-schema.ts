// A separate file, so that bundles load this part of zod only where a JSON Schema is asked for.
export { toJSONSchema } from 'zod'
