import type { Input } from '../../../shared/contract/call.ts'
import type { listTrusts as List } from '../../../shared/contract/trust.ts'
import type { TrustRule } from '../../../shared/machine-key.ts'
import { listRules } from '../../db/trust-rules.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../request/client.ts'
import { mapPage, maxRowsBy, type PageOf, readPageRequest } from '../../request/paging.ts'
import { ruleView } from '../key/authority.ts'
import { requireKeyReader } from '../key/read.ts'

export async function listTrusts(
  deps: Deps,
  caller: Caller,
  { organizationId, ...asked }: Input<typeof List>,
): Promise<PageOf<TrustRule>> {
  await requireKeyReader(deps, caller, organizationId)
  const page = readPageRequest(asked, maxRowsBy(deps.config.KEY_LIMIT))
  return mapPage(await listRules(deps.sql, organizationId, page), (rule) => ruleView(deps.config, rule))
}
