import type { FakeMember, FakeOrganization, FakeWorld } from './fake-world.ts'

export type Body = Readonly<Record<string, string>>

const at = () => new Date(Date.now() - 86_400_000).toISOString()
const ids = { count: 0 }
export const newId = (kind: string): string => `${kind}-${++ids.count}`

/** Makes an organization with its members, by role. */
export function addOrganization(
  world: FakeWorld,
  name: string,
  members: Readonly<Record<string, string>>,
): FakeOrganization {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  const made: FakeOrganization = {
    id: `org-${slug}`,
    name,
    slug,
    logo: null,
    metadata: null,
    members: Object.entries(members).map(([email, role]) => ({ id: `m-${email}`, email, role, teamId: null })),
    invitations: [],
    teams: [],
  }
  world.organizations.push(made)
  return made
}

export const organizationView = ({ id, name, slug, logo, metadata }: FakeOrganization) => ({
  id,
  name,
  slug,
  logo,
  metadata,
  createdAt: at(),
})

export const memberAnswer = (world: FakeWorld, { id: organizationId }: FakeOrganization, member: FakeMember) => ({
  ...member,
  organizationId,
  userId: `u-${member.email}`,
  createdAt: at(),
  user: world.user(member.email),
})

export const teamView = ({ id: organizationId }: FakeOrganization, team: { id: string; name: string }) => ({
  ...team,
  organizationId,
  createdAt: at(),
  updatedAt: null,
})
