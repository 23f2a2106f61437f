import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'

/** Reports uncaught errors and unhandled rejections, whatever happens to the process then. */
export function guardProcess(report: (error: unknown) => void): void {
  process.on('uncaughtExceptionMonitor', report)
}

/** On a busy machine, a quarter of a second may give up on every address of a provider. */
export const prepareProcess = (): void => setDefaultAutoSelectFamilyAttemptTimeout(1000)
