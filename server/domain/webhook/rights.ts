import type postgres from 'postgres'
import { auditEventsNamed } from '../../../shared/audit-events.ts'
import type { FailureName } from '../../../shared/errors.ts'
import { Failure } from '../../../shared/failure.ts'
import type { Webhook } from '../../../shared/webhook.ts'
import type { Config } from '../../config.ts'
import { findActorAndTarget, lockAdministration } from '../../db/admins.ts'
import type { Sql } from '../../db/connect.ts'
import type { Actor, MemberRoles } from '../../db/organization-actors.ts'
import { isPublicAddress, parseIpAddress } from '../../limits/ip-address.ts'
import type { Caller } from '../../request/client.ts'
import { holds, type PlatformPerson } from '../admin/permission.ts'
import { can, requireAllowed } from '../organization/roles.ts'

/**
 * The statements of one trip that find whose rights on the platform the caller uses, behind the lock of those who take
 * such rights away. A webhook of an organization needs no lock of theirs: `isOfService` is its condition.
 */
export const lockOwnRights = ({ session, key }: Caller, isOfService: (sql: Sql) => postgres.Fragment) =>
  [
    (sql: Sql) => lockAdministration(sql, isOfService(sql)),
    async (sql: Sql) => (await findActorAndTarget(sql, { sessionId: key ? '' : session.id, userId: null })).actor,
  ] as const

/** Whether the caller may read the part of the trail that the webhooks of this place receive. */
export const mayReadTrail = (
  config: Config,
  person: PlatformPerson | null,
  organizationId: string | null,
  member: MemberRoles | null,
) =>
  organizationId === null
    ? holds(config, person, 'audit:list')
    : member !== null && can(config, member, 'organization:update')

/** A webhook that the caller may not see looks as if it did not exist. */
export function requireVisibleWebhook(
  config: Config,
  person: PlatformPerson | null,
  webhook: Webhook | null,
  member: Actor | null,
): Webhook {
  if (!webhook || !mayReadTrail(config, person, webhook.organizationId, member)) throw new Failure('WEBHOOK_NOT_FOUND')
  return webhook
}

/**
 * Refuses callers without the permission, and those who may not read what the webhook receives: they could read the
 * trail through it.
 */
export function requireWebhookPermission(
  config: Config,
  person: PlatformPerson | null,
  { organizationId, member }: { readonly organizationId: string | null; readonly member: MemberRoles | null },
  [action, failure]: readonly ['create' | 'update' | 'delete', FailureName],
): void {
  if (organizationId === null) {
    const isAllowed = (['audit:list', `webhook:${action}`] as const).every((right) => holds(config, person, right))
    if (!isAllowed) throw new Failure(failure)
    return
  }
  if (!member) throw new Failure('NOT_A_MEMBER_FORBIDDEN')
  const isAllowed = (as: MemberRoles) => can(config, as, 'organization:update') && can(config, as, `webhook:${action}`)
  requireAllowed(member, isAllowed, failure)
}

export function requireKnownEvents(events: readonly string[]): void {
  if (!events.every((word) => auditEventsNamed(word).length > 0)) throw new Failure('EVENT_NOT_FOUND')
}

/**
 * Refuses an address that could never be sent to, as far as the address itself shows it. What a name resolves to is
 * decided when it is connected to.
 */
export function requireWebhookUrl({ WEBHOOK_PRIVATE_NETWORKS: networks }: Config, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !isSendable(url, text, networks.length > 0)) throw new Failure('WEBHOOK_URL_INVALID')
  const address = literalAddressOf(url)
  if (address === null || networks.some((holds) => holds(address))) return url.href
  if (!isPublicAddress(address)) throw new Failure('WEBHOOK_URL_PRIVATE')
  if (url.protocol === 'http:') throw new Failure('WEBHOOK_URL_INVALID')
  return url.href
}

const isSendable = ({ protocol, username, password }: URL, text: string, mayBePlain: boolean): boolean =>
  (protocol === 'https:' || (protocol === 'http:' && mayBePlain)) &&
  username === '' &&
  password === '' &&
  !text.includes('#')

/** Null for a name, which may resolve to anything by the time it is used. */
function literalAddressOf({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === 'localhost') return '127.0.0.1'
  return parseIpAddress(host) ? host : null
}
