import { askPeer, type Peer } from './better-auth-peer.ts'

interface PeerPerson {
  readonly email: string
  readonly password: string
  /** What their browser keeps. */
  readonly cookie: string
}

interface PeerOrganization {
  readonly slug: string
  readonly owner: PeerPerson
}

export interface PeerCommunity {
  readonly people: readonly PeerPerson[]
  readonly organizations: readonly PeerOrganization[]
  readonly banned: string
  readonly administrators: readonly string[]
}

/**
 * Fills a better-auth through its own calls. Only what no call can make is written to its tables: the first
 * administrator, verified addresses, and identities of providers, which would have to be asked.
 */
export async function fillPeer(
  peer: Peer,
  sizes: { readonly users: number; readonly organizations: number },
): Promise<PeerCommunity> {
  const people: PeerPerson[] = []
  for (let n = 0; n < sizes.users; n += 1) people.push(await signUp(peer, n))
  await addByHand(peer)
  const [root, spammer, deputy] = people as [PeerPerson, PeerPerson, PeerPerson]
  const ids = await idsOf(peer)
  const asRoot = (path: string, body: object) => ask(peer, path, body, root)
  await asRoot('/admin/ban-user', { userId: ids.get(spammer.email), banReason: 'spam' })
  await asRoot('/admin/set-role', { userId: ids.get(deputy.email), role: 'admin' })
  const organizations: PeerOrganization[] = []
  for (let n = 0; n < sizes.organizations; n += 1) organizations.push(await addOrganization(peer, people, n))
  return { people, organizations, banned: spammer.email, administrators: [root.email, deputy.email] }
}

async function ask(peer: Peer, path: string, body: object, { cookie }: Pick<PeerPerson, 'cookie'>) {
  const answer = await askPeer(peer.handler, path, body, cookie)
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

async function signUp(peer: Peer, n: number): Promise<PeerPerson> {
  const person = { email: `person-${n}@example.com`, password: `the old password ${n}` }
  const { cookie } = await ask(peer, '/sign-up/email', { ...person, name: `Person ${n}` }, { cookie: '' })
  return { ...person, cookie }
}

async function addByHand({ sql }: Peer): Promise<void> {
  await sql.unsafe(`update "user" set role = 'admin', "emailVerified" = true where email = 'person-0@example.com'`)
  await sql.unsafe(`
    insert into account (id, "accountId", "providerId", "userId", "accessToken", "createdAt", "updatedAt")
    select 'social-' || id, 'github-' || id, 'github', id, 'token of github', now(), now()
    from "user" where email ~ '[27]@'
  `)
}

async function idsOf({ sql }: Peer): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.unsafe<{ id: string; email: string }[]>(`select id, email from "user"`)
  return new Map(rows.map(({ id, email }) => [email, id]))
}

/** With two teams, a member of each role, and invitations of each status. */
async function addOrganization(peer: Peer, people: readonly PeerPerson[], n: number): Promise<PeerOrganization> {
  const others = people.filter((_, index) => index !== 1)
  const at = (step: number) => others[(n + step) % others.length] as PeerPerson
  const owner = at(0)
  const given = { name: `Acme ${n}`, slug: `acme-${n}`, metadata: { plan: n, tags: ['a', 'b'] } }
  const { id: organizationId } = (await ask(peer, '/organization/create', given, owner)).body
  const addTeam = async (name: string): Promise<string> =>
    (await ask(peer, '/organization/create-team', { name, organizationId }, owner)).body['id'] ?? ''
  const team = await addTeam('Support')
  await addTeam('Sales')
  const invite = async (guest: PeerPerson, more: object) => {
    const invited = { email: guest.email, organizationId, ...more }
    const { body } = await ask(peer, '/organization/invite-member', invited, owner)
    return { invitationId: body['id'] }
  }
  await ask(peer, '/organization/accept-invitation', await invite(at(1), { role: 'admin' }), at(1))
  await ask(peer, '/organization/accept-invitation', await invite(at(2), { role: 'member', teamId: team }), at(2))
  await ask(peer, '/organization/reject-invitation', await invite(at(3), { role: 'member' }), at(3))
  await ask(peer, '/organization/cancel-invitation', await invite(at(4), { role: 'member' }), owner)
  await invite(at(5), { role: 'admin', teamId: team })
  await ask(peer, '/organization/set-active', { organizationId }, owner)
  return { slug: given.slug, owner }
}
