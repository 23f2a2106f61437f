// A separate file, so that bundles load this part of zod only for `api describe`.
export { toJSONSchema } from 'zod'
