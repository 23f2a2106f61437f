import { catalogue, type FailureName } from '../../../shared/errors.ts'
import { wireOf } from '../../../shared/failure.ts'
import { ServiceFailure } from '../../client/errors.ts'
import type { FlowConnection } from '../ports.ts'

/** What acts on users take on the platform, and how the service refuses who has not that. */
const refusals = {
  'user:set-role': 'USER_ROLE_FORBIDDEN',
  'user:ban': 'USER_BAN_FORBIDDEN',
  'user:impersonate': 'USER_IMPERSONATION_FORBIDDEN',
  'user:delete': 'USER_DELETE_FORBIDDEN',
  'user:set-password': 'USER_PASSWORD_FORBIDDEN',
  'session:list': 'USER_SESSIONS_LIST_FORBIDDEN',
  'session:revoke': 'USER_SESSIONS_REVOKE_FORBIDDEN',
  'audit:list': 'AUDIT_LIST_FORBIDDEN',
} as const satisfies Readonly<Record<string, FailureName>>

export type PlatformRight = keyof typeof refusals

/** For who may not look users up: that the act itself is not theirs, where that is so. Undefined where it is. */
export async function refusalOf(
  { api }: Pick<FlowConnection, 'api'>,
  right: PlatformRight,
): Promise<ServiceFailure | undefined> {
  const [resource = '', action = ''] = right.split(':')
  const { success } = await api.admin.hasPlatformPermission({ permissions: { [resource]: [action] } })
  const name = refusals[right]
  return success ? undefined : new ServiceFailure(catalogue[name].status, bodyOf(name))
}

function bodyOf(name: FailureName) {
  const { body } = wireOf(name)
  return body && 'code' in body ? body : {}
}
