import { FullUser, type User } from '../../shared/entities.ts'
import type { AdmittedSession } from '../request/admission.ts'
import type { PendingAuditEvent } from '../request/audit-event.ts'
import type { ProvenAddress } from '../request/proven-address.ts'
import { type IdentityKey, insertAccount, type SealedTokens } from './accounts.ts'
import { insertAuditEvent } from './audit-events.ts'
import { columnsOf, newRow } from './columns.ts'
import type { Sql } from './connect.ts'
import { type CreatedUser, findCreatedUser, newPersonColumns } from './created-user.ts'
import { isPendingInBrowser } from './device-browser-bindings.ts'
import { nullIfTaken } from './identities.ts'
import { startSessionOrBindUser } from './identity-sign-in.ts'
import { insertLink, type NewLink } from './links.ts'
import { noSessionSteps } from './session-start.ts'
import { insertSingleUse, type SingleUse } from './states.ts'

export interface NewProviderUser {
  readonly user: Pick<User, 'id' | 'email' | 'name' | 'image' | 'language' | 'fields'>
  /** Null when the address is not verified, whatever the provider says. */
  readonly provenAddress: ProvenAddress | null
  readonly roles: readonly string[]
  readonly key: IdentityKey
  readonly tokens: SealedTokens
  /** Null when the address must be verified first. */
  readonly admitted: AdmittedSession | null
  /** The binding of a browser to a device request, which takes the place of a session. */
  readonly claim: Buffer | null
  readonly use: SingleUse | null
  readonly link: NewLink | null
  readonly event: PendingAuditEvent
}

/**
 * Creates the user, account, first session and verification mail in one statement, so all or nothing. Null when the
 * address or identity was taken meanwhile, for which the unique keys decide, or the device request is over.
 */
export const createProviderUser = (sql: Sql, made: NewProviderUser): Promise<CreatedUser | null> =>
  nullIfTaken(async () => {
    const { user, provenAddress, admitted, claim, use, link, event } = made
    const ids = sql`select id from made`
    const isProven = provenAddress !== null
    const holder = sql`select id, ${made.tokens.id}::text as account_id, ${provenAddress?.email ?? null}::text as proven_email from made`
    const steps = sql`
      made as (
        insert into users ${newRow(sql, FullUser, {
          ...newPersonColumns(sql, { ...user, roles: made.roles }),
          emailVerified: isProven,
        })}
        ${whilePending(sql, claim)}
        on conflict (email) do nothing
        returning ${columnsOf(sql, FullUser)}
      ),
      account as (${insertAccount(
        sql,
        made.key,
        made.tokens,
        sql`
        select id, ${provenAddress?.proof ?? null}::text as proof, ${provenAddress?.email ?? null}::text as proven_email from made
      `,
      )}),
      audited as (${insertAuditEvent(sql, event, sql`select from made`)}),
      ${use ? sql`used as (${insertSingleUse(sql, use, ids)}),` : sql``}
      ${link ? sql`${insertLink(sql, link, ids)},` : sql``}
      ${admitted ? startSessionOrBindUser(sql, admitted, claim, holder) : noSessionSteps(sql)}
    `
    return findCreatedUser(sql, user.id, link, steps)
  })

/** Nobody is created for a device request that is over. It stays as it is until the user is bound to it. */
const whilePending = (sql: Sql, claim: Buffer | null) =>
  claim
    ? sql`from (select from device_requests r where ${isPendingInBrowser(sql, claim)} for update) as request`
    : sql``
