import type { Driver } from '../connect.ts'

/** What gives rights on the platform. */
export interface RightsRules {
  readonly roles: readonly string[]
  readonly userIds: readonly string[]
  /** In lower case. Those count whose mailbox a sign-in method proved. */
  readonly emails: readonly string[]
}

export interface RoleHolder {
  readonly id: string
  readonly email: string
  /** Empty when the settings name the user. */
  readonly role: string
}

/** The users with rights on the platform, once for each role that gives them any. */
export const findRoleHolders = (sql: Driver, { roles, userIds, emails }: RightsRules): Promise<readonly RoleHolder[]> =>
  sql.unsafe<RoleHolder[]>(
    text,
    [roles, userIds, emails].map((list) => JSON.stringify(list)),
  )

const text = `
  select u.id, u.email, r.role from users u, unnest(u.roles) as r (role)
  where u.roles && array(select json_array_elements_text($1::text::json))
    and r.role in (select json_array_elements_text($1::text::json))
  union
  select u.id, u.email, '' from users u
  where u.id in (select json_array_elements_text($2::text::json))
  union
  select u.id, u.email, '' from users u join accounts a on a.user_id = u.id and a.proven_email = u.email
  where u.email in (select json_array_elements_text($3::text::json)) and a.mailbox_proof is not null
`
