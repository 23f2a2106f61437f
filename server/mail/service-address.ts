import type { Config } from '../config.ts'

/** Where the command line looks when nobody tells it: it needs no flag for that. */
const usual = 'http://localhost:4100/api/auth'
const usualPath = '/api/auth'

/** The public address of the API, without a slash at the end. */
export const baseOf = ({ BASE_URL, BASE_PATH }: Pick<Config, 'BASE_URL' | 'BASE_PATH'>): string =>
  `${BASE_URL.origin}${BASE_PATH}`

/** A service as people write it down; the command line adds the usual path by itself. */
export const addressOf = (base: string): string => (base.endsWith(usualPath) ? base.slice(0, -usualPath.length) : base)

/** A command line that runs as it is, wherever it is pasted. */
export const commandAt = (base: string, line: string): string =>
  base === usual ? line : `${line} --url ${addressOf(base)}`
