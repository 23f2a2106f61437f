import * as calls from '../../shared/contract/token.ts'
import type { Deps } from '../deps.ts'
import { getKeys, rotateKeys } from '../domain/token/signing-keys.ts'
import { getToken } from '../domain/token/tokens.ts'
import type { Mount } from '../http/mount.ts'

export const tokenRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    getToken: ({ resolved }) => getToken(deps, resolved),
    getKeys: ({ reply }) => {
      reply.cacheFor(deps.config.JWKS_MAX_AGE)
      return getKeys(deps)
    },
    rotateKeys: ({ client, caller, input }) => rotateKeys(deps, client, caller, input),
  })
