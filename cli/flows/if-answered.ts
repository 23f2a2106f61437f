import { exitCodes } from '../../shared/exit-codes.ts'
import { toCliError } from '../output/error-report.ts'

/** What is answered; undefined if the caller may not ask for it. */
export const ifAllowed = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (toCliError(error).status !== 403) throw error
    return undefined
  })

/** What is answered; undefined if there is no such thing. */
export const ifFound = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (toCliError(error).exitCode !== exitCodes.notFound) throw error
    return undefined
  })
