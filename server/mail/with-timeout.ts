import { within } from '../../shared/within.ts'
import { SendFailure } from './mail-transport.ts'

/**
 * The result of `run`, or an error after `limit` milliseconds: a function of the config file must not hold up all
 * mails.
 */
export const withTimeout = <T>(limit: number, what: string, run: () => Promise<T>): Promise<T> =>
  within(limit, run(), () => {
    throw new SendFailure(`${what} took longer than ${limit / 1000} s`, false)
  })
