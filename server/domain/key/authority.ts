import type { Authority, MachineKey, TrustRule } from '../../../shared/machine-key.ts'
import { coversRoles } from '../../../shared/permissions.ts'
import type { Config } from '../../config.ts'
import type { StoredKey } from '../../db/machine-keys.ts'
import type { StoredRule } from '../../db/trust-rules.ts'

export const keyView = (config: Config, key: StoredKey): MachineKey => ({
  ...key,
  // It acts as the person whose it is.
  authority: key.organizationId === null ? 'full' : authorityOf(config, key.sponsorRoles, key.role ?? []),
})

export const ruleView = (config: Config, rule: StoredRule): TrustRule => ({
  ...rule,
  authority: authorityOf(config, rule.sponsorRoles, rule.role),
})

function authorityOf({ roles }: Config, sponsorRoles: readonly string[] | null, held: readonly string[]): Authority {
  if (sponsorRoles === null) return 'none'
  return coversRoles(roles, sponsorRoles, held) ? 'full' : 'limited'
}
