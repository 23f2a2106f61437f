// Alone in its file, so that a bundle carries this part of zod for `api describe` only.
export { toJSONSchema } from 'zod'
