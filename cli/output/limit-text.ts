import type { CliError } from './cli-error.ts'

type Refusal = Pick<CliError, 'code' | 'limit'>

/** The number that counts, in words. */
export const limitText = ({ code, limit }: Refusal): string | undefined =>
  limit === undefined ? undefined : `${code.endsWith('TOO_SHORT') ? 'At least' : 'At most'} ${limit} characters`
