import { serviceAddress, usualPath } from '../../shared/service-address.ts'
import type { Config } from '../config.ts'

/** Where the command line looks when nobody tells it: it needs no flag for that. */
const usual = `http://localhost:4100${usualPath}`

/** The public address of the API, without a slash at the end. */
export const baseOf = ({ BASE_URL, BASE_PATH }: Pick<Config, 'BASE_URL' | 'BASE_PATH'>): string =>
  `${BASE_URL.origin}${BASE_PATH}`

/** A command line that runs as it is, wherever it is pasted. */
export const commandAt = (base: string, line: string): string =>
  base === usual ? line : `${line} --url ${serviceAddress(base)}`
