import type { OwnService } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'
import { ada } from './people.ts'

type At = Pick<OwnService, 'service'>

interface SessionRow {
  readonly id: string
  readonly userAgent: string
  readonly activeOrganizationId: string | null
}

/** A user's sessions in the service's database, in the order of their list. */
export const sessionsOf = async (
  { service: { deps } }: At,
  email: string = ada,
): Promise<readonly SessionRow[]> => deps.sql<SessionRow[]>`
  select s.id, s.user_agent, s.active_organization_id from sessions s join users u on u.id = s.user_id
  where u.email = ${email} order by s.created_at desc, s.id desc
`

/** The user agents of those sessions. */
export const browsersOf = async (at: At, email?: string): Promise<readonly string[]> =>
  (await sessionsOf(at, email)).map(({ userAgent }) => userAgent)

/** The email addresses of all users. */
export const peopleAt = async ({ service: { deps } }: At): Promise<readonly string[]> =>
  (await deps.sql<{ email: string }[]>`select email from users order by email`).map(({ email }) => email)

/** The accounts signed in on a machine, as the next command sees them. A star marks the current one. */
export async function keptOn(machine: Runner): Promise<readonly string[]> {
  const { items } = (await machine('auth list --json=account,current,signedIn')).json as {
    items: readonly { account: string; current: boolean; signedIn: boolean }[]
  }
  return items.filter(({ signedIn }) => signedIn).map(({ account, current }) => (current ? `${account} *` : account))
}

interface MemberRow {
  readonly email: string
  readonly roles: readonly string[]
  readonly team: string | null
}

export const membersOf = async ({ service }: At, organizationId: string): Promise<readonly MemberRow[]> =>
  service.deps.sql<MemberRow[]>`
    select u.email, m.roles, t.name as team
    from members m join users u on u.id = m.user_id left join teams t on t.id = m.team_id
    where m.organization_id = ${organizationId} order by m.created_at, m.id
  `

export const invitationsTo = ({ service }: At, email: string) => service.deps.sql`
  select i.id, i.status, i.roles, o.name as organization, t.name as team
  from invitations i join organizations o on o.id = i.organization_id left join teams t on t.id = i.team_id
  where i.email = ${email} order by i.created_at, i.id
`

export const organizationsAt = ({ service }: At) =>
  service.deps.sql`select name, slug, logo, metadata from organizations order by slug`
