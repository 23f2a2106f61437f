import { type ListedOrganization, Organization } from '../../shared/organization.ts'
import type { PageOf, PageRequest } from '../request/paging.ts'
import { columnsOf, computed, fieldsOf } from './columns.ts'
import type { Sql } from './connect.ts'
import { isPerson } from './machine-users.ts'

/** Bytes of metadata and logos after which a page of organizations ends: 16 kB of each would make a hundred a large answer. */
const fullPage = 262_144

interface Listing extends Omit<ListedOrganization, keyof Organization> {
  readonly isLast: boolean
}

/** The organizations of a user, in the order of joining. A page may be shorter than its limit when they hold much. */
export async function listOrganizations(
  sql: Sql,
  userId: string,
  { limit, offset }: PageRequest,
): Promise<PageOf<ListedOrganization>> {
  const chosen = sql`
    select ${columnsOf(sql, Organization, 'o')}, m.created_at as since,
      not exists (
        select from members x where x.organization_id = o.id and x.id <> m.id and ${isPerson(sql, 'x')}
      ) as sole_member
    from members m
    join organizations o on o.id = m.organization_id
    where m.user_id = ${userId}
    order by m.created_at, o.id
    limit ${limit + 1} offset ${offset}
  `
  const more = computed<Listing>(sql, { soleMember: 'soleMember', isLast: 'isLast' })
  const found = await sql`
    with chosen as (${chosen}),
    measured as (
      select *, row_number() over joined = count(*) over () as is_last,
        coalesce(sum(coalesce(octet_length(metadata::text), 0) + coalesce(octet_length(logo), 0))
          over (joined rows between unbounded preceding and 1 preceding), 0) as before
      from chosen
      window joined as (order by since, id)
    )
    select ${fieldsOf(sql, Organization)}, ${more} from measured
    where before < ${fullPage}
    order by since, id
  `
  const rows = found.slice(0, limit)
  const isWhole = rows.length === 0 || rows.at(-1)?.isLast
  return { rows: rows.map(plain), next: isWhole ? null : offset + rows.length }
}

function plain(row: Organization & Listing): ListedOrganization {
  const { isLast: _, ...organization } = row
  return organization
}
