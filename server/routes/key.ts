import * as clientKeys from '../../shared/contract/client-key.ts'
import * as keys from '../../shared/contract/key.ts'
import * as trusts from '../../shared/contract/trust.ts'
import type { Deps } from '../deps.ts'
import { createClientKey, deleteClientKey, getClientKey, listClientKeys } from '../domain/key/client-keys.ts'
import { adoptKey, createKey, listKeys, revokeKey, viewKey } from '../domain/key/keys.ts'
import { rotateKey } from '../domain/key/rotate-key.ts'
import { exchangeToken } from '../domain/trust/exchange-token.ts'
import { adoptTrustRule, createTrustRule, deleteTrustRule, listTrustRules } from '../domain/trust/trusts.ts'
import type { Mount } from '../http/mount.ts'
import { answerList } from './answer-list.ts'

export function keyRoutes(mount: Mount, deps: Deps): void {
  mount(keys, {
    createKey: ({ client, caller, input }) => createKey(deps, client, caller, input),
    listKeys: ({ caller, input, reply, freshness }) => answerList(reply, listKeys(deps, caller, input, freshness)),
    viewKey: ({ caller, input }) => viewKey(deps, caller, input),
    rotateKey: ({ client, caller, input }) => rotateKey(deps, client, caller, input),
    adoptKey: ({ client, caller, input }) => adoptKey(deps, client, caller, input),
    revokeKey: ({ client, caller, input }) => revokeKey(deps, client, caller, input),
  })
  mount(clientKeys, {
    createClientKey: ({ client, caller, input }) => createClientKey(deps, client, caller, input),
    listClientKeys: ({ caller, input, freshness }) => listClientKeys(deps, caller, input, freshness),
    getClientKey: ({ caller, input }) => getClientKey(deps, caller, input),
    deleteClientKey: ({ client, caller, input }) => deleteClientKey(deps, client, caller, input),
  })
  mount(trusts, {
    createTrust: ({ client, caller, input }) => createTrustRule(deps, client, caller, input),
    listTrusts: ({ caller, input, reply, freshness }) =>
      answerList(reply, listTrustRules(deps, caller, input, freshness)),
    adoptTrust: ({ client, caller, input }) => adoptTrustRule(deps, client, caller, input),
    deleteTrust: ({ client, caller, input }) => deleteTrustRule(deps, client, caller, input),
    exchangeToken: ({ client, input }) => exchangeToken(deps, client, input),
  })
}
