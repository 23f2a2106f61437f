import { exitCodes } from '../../shared/exit-codes.ts'
import type { CliError } from '../output/cli-error.ts'
import { toCliError } from '../output/error-report.ts'

/** What is answered; undefined if the caller may not ask for it. */
export const ifAllowed = <T>(answer: Promise<T>): Promise<T | undefined> =>
  unlessRefused(answer, ({ status }) => status === 403)

/** What is answered; undefined if there is no such thing. */
export const ifFound = <T>(answer: Promise<T>): Promise<T | undefined> =>
  unlessRefused(answer, ({ exitCode }) => exitCode === exitCodes.notFound)

const unlessRefused = <T>(answer: Promise<T>, isExpected: (error: CliError) => boolean): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (!isExpected(toCliError(error))) throw error
    return undefined
  })
