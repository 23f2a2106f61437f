import { providerDisplayName, providerIds } from '../../../shared/providers.ts'
import type { FlowConnection } from '../flow-context.ts'
import { ifFound } from '../if-answered.ts'

export interface OfferedProvider {
  readonly id: string
  readonly name: string
}

/** The providers that are on. An older service does not tell, so that all known ones may be. */
export const offeredProviders = async ({ api }: Pick<FlowConnection, 'api'>): Promise<readonly OfferedProvider[]> =>
  (await ifFound(api.social.listProviders())) ?? providerIds.map((id) => ({ id, name: providerDisplayName(id) }))
