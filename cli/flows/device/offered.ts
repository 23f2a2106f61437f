import { exitCodes } from '../../../shared/exit-codes.ts'
import { providerDisplayName, providerIds } from '../../../shared/providers.ts'
import { toCliError } from '../../output/error-report.ts'
import type { FlowConnection } from '../flow-context.ts'

export interface OfferedProvider {
  readonly id: string
  readonly name: string
}

/** The providers that are on. An older service does not tell, so that all known ones may be. */
export const offeredProviders = ({ api }: Pick<FlowConnection, 'api'>): Promise<readonly OfferedProvider[]> =>
  api.social.listProviders().catch((error: unknown) => {
    if (toCliError(error).exitCode !== exitCodes.notFound) throw error
    return providerIds.map((id) => ({ id, name: providerDisplayName(id) }))
  })
