import { organizationRoles } from '../../../shared/permissions.ts'
import type { ApiAnswer, ApiRequest } from '../../client/client.ts'
import { good, refuse } from './answers.ts'
import { answerInvitation, invitationView } from './fake-invitations.ts'
import { addOrganization, type Body, memberAnswer, newId, organizationView, teamView } from './fake-organization.ts'
import type { FakeMember, FakeOrganization, FakeSession, FakeWorld } from './fake-world.ts'

const fullView = (world: FakeWorld, organization: FakeOrganization) => ({
  ...organizationView(organization),
  members: organization.members.map((member) => memberAnswer(world, organization, member)),
  invitations: organization.invitations
    .filter(({ status }) => status === 'pending')
    .map((one) => invitationView(world, organization, one)),
  teams: world.hasTeams ? organization.teams.map((team) => teamView(organization, team)) : null,
})

/** The calls around organizations, for who is signed in. */
export function answerOrganization(world: FakeWorld, request: ApiRequest, session: FakeSession): ApiAnswer {
  const body = Object(request.body) as Body
  const path = request.path.slice('/organization/'.length)
  const mine = world.organizations.filter(({ members }) => members.some(({ email }) => email === session.email))
  return (
    answerMine(world, path, { body, session, mine }) ??
    answerInvitation(world, path, body, session) ??
    answerOne(world, path, { body, session, mine, id: request.query?.['organizationId'] })
  )
}

function answerMine(world: FakeWorld, path: string, { body, session, mine }: Asked): ApiAnswer | undefined {
  switch (path) {
    case 'list':
      return good(mine.map((one) => ({ ...organizationView(one), soleMember: one.members.length === 1 })))
    case 'list-teams':
      return good(mine.flatMap((one) => one.teams.map((team) => teamView(one, team))))
    case 'list-roles':
      return good(Object.entries(organizationRoles).map(([role, permissions]) => ({ role, permissions })))
    case 'create':
      return create(world, body, session)
    case 'set-active':
      return activate(session, body)
    default:
      return undefined
  }
}

function answerOne(world: FakeWorld, path: string, asked: Asked): ApiAnswer {
  const { body, mine } = asked
  const id = asked.id ?? body['organizationId'] ?? organizationIn(body)
  const organization = mine.find((one) => one.id === id || one.teams.some((team) => team.id === body['teamId']))
  if (!organization)
    return refuse(403, 'USER_IS_NOT_A_MEMBER_OF_THE_ORGANIZATION', 'User is not a member of the organization')
  if (path === 'get-full-organization') return good(fullView(world, organization))
  if (path === 'list-invitations')
    return good(organization.invitations.map((one) => invitationView(world, organization, one)))
  return changeOrganization(world, path, organization, asked) ?? changeTeam(world, path, organization, body)
}

const organizationIn = (body: Body): string | undefined => (Object(body['data']) as Body)['organizationId']

function create(world: FakeWorld, { name = '', slug = '', ...rest }: Body, session: FakeSession): ApiAnswer {
  if (world.organizations.some((one) => one.slug === slug))
    return refuse(400, 'ORGANIZATION_ALREADY_EXISTS', 'Organization already exists')
  const made = addOrganization(world, name, { [session.email]: 'owner' })
  Object.assign(made, { slug, logo: rest['logo'] ?? null, metadata: rest['metadata'] ?? null })
  session.activeOrganizationId = made.id
  return good({ ...organizationView(made), members: [memberAnswer(world, made, made.members[0] as FakeMember)] })
}

function activate(session: FakeSession, { organizationId }: Body): ApiAnswer {
  session.activeOrganizationId = organizationId ?? null
  return good(null)
}

interface Asked {
  readonly body: Body
  readonly session: FakeSession
  readonly mine: readonly FakeOrganization[]
  readonly id?: string | undefined
}

function changeOrganization(world: FakeWorld, path: string, organization: FakeOrganization, { body, session }: Asked) {
  const member = organization.members.find(({ id }) => id === (body['memberIdOrEmail'] ?? body['memberId']))
  const view = member && memberAnswer(world, organization, member)
  switch (path) {
    case 'update':
      Object.assign(organization, parsed(Object(body['data']) as Body))
      return good(organizationView(organization))
    case 'delete':
      world.organizations.splice(world.organizations.indexOf(organization), 1)
      return good(organizationView(organization))
    case 'leave':
      organization.members = organization.members.filter(({ email }) => email !== session.email)
      return good(memberAnswer(world, organization, { id: 'm', email: session.email, role: 'member', teamId: null }))
    case 'remove-member':
      if (!view) return refuse(400, 'MEMBER_NOT_FOUND', 'Member not found')
      organization.members = organization.members.filter((one) => one !== member)
      return good({ member: view })
    case 'update-member-role':
      if (!view) return refuse(400, 'MEMBER_NOT_FOUND', 'Member not found')
      Object.assign(member ?? {}, { role: textIn(body['role']) })
      return good({ ...view, role: textIn(body['role']) })
    default:
      return undefined
  }
}

/** Roles as the wire has them. */
const textIn = (role: unknown): string => [role].flat().join(',')

const parsed = ({ metadata, ...rest }: Body) =>
  typeof metadata === 'string'
    ? { ...rest, metadata: JSON.parse(metadata) }
    : { ...rest, ...(metadata === null ? { metadata } : {}) }

function changeTeam(world: FakeWorld, path: string, organization: FakeOrganization, body: Body): ApiAnswer {
  const team = organization.teams.find(({ id }) => id === body['teamId'])
  if (path === 'create-team') {
    const made = { id: newId('t'), name: body['name'] ?? '' }
    organization.teams.push(made)
    return good(teamView(organization, made))
  }
  if (!team) return refuse(400, 'TEAM_NOT_FOUND', 'Team not found')
  if (path === 'update-team') {
    team.name = (Object(body['data']) as Body)['name'] ?? team.name
    return good(teamView(organization, team))
  }
  if (path === 'remove-team') {
    organization.teams = organization.teams.filter((one) => one !== team)
    return good({ message: 'Team removed successfully.' })
  }
  return putIntoTeam(world, organization, body, path === 'add-team-member' ? team.id : null)
}

function putIntoTeam(
  world: FakeWorld,
  organization: FakeOrganization,
  { userId }: Body,
  teamId: string | null,
): ApiAnswer {
  const member = organization.members.find(({ email }) => `u-${email}` === userId)
  if (!member) return refuse(400, 'MEMBER_NOT_FOUND', 'Member not found')
  member.teamId = teamId
  return good(memberAnswer(world, organization, member))
}
