import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Team } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { hintOf } from '../../output/hints.ts'
import { type Naming, namesOrIds, pickOne } from '../candidates.ts'
import { flag } from '../command-line.ts'
import type { Subject } from '../flow.ts'
import type { Listing } from '../listing.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { membersOfTeam, type OrganizationView } from '../org/view.ts'
import type { FlowConnection, Ports } from '../ports.ts'
import { columnsOf, type FieldsOf, namesIn } from '../resource-fields.ts'

type Calls = Pick<FlowConnection, 'api'>

export const teamFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  name: { title: 'Name', type: 'text' },
  organizationId: { title: 'Organization', type: 'text' },
  createdAt: { title: 'Created', type: 'date' },
  updatedAt: { title: 'Updated', type: 'date?' },
  members: {
    title: 'Members',
    inList: ({ id }, view) => String(membersOfTeam(view, id).length),
    inDetail: ({ id }, view) => namesIn(membersOfTeam(view, id).map(({ user }) => user.name)),
  },
  yours: { title: '', inList: ({ id }, { self }) => (self?.teamId === id ? 'yours' : '') },
} as const satisfies FieldsOf<Team, Team, OrganizationView>

const columns = columnsOf<Team>(teamFields, ['name', 'createdAt', 'id'])

const naming: Naming<Team> = {
  kind: 'team',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: ({ id, name, createdAt }) => `${id}  ${name}  created ${createdAt.toISOString()}`,
  list: 'See them: postern team list',
}

export const teamArgument = 'id or unique name'

/** A team, and how `--org` names its organization in a command. */
export interface NamedTeam {
  readonly team: Team
  readonly org?: string | undefined
}

export const oneTeam: Subject<NamedTeam> = {
  argument: '<team>',
  summary: teamArgument,
  key: 'teamId',
  finder: async (ports) => {
    const teams = await teamsOf(ports)
    return (word = '') => ({ team: pickOne(teams, word, naming) })
  },
  words: ({ team, org }) => ({ word: team.name, flags: flag('org', org) }),
  complete: (ports) => teamNames(ports),
}

export const teamList: Listing<Team> = {
  command: 'team list',
  summary: 'The teams of the organization',
  fields: {},
  call: '/organization/list-teams',
  answer: teamFields,
  columns,
  empty: 'No teams',
  examples: ['', '--org acme --json=id,name'],
  list: (ports) => teamsOf(ports),
}

/** The teams of the organization that the ports name, else of the active one. */
export async function teamsOf(ports: Ports): Promise<readonly Team[]> {
  const connection = await ports.signedIn()
  return listTeams(connection, await organizationIdOf(connection, ports.organization))
}

export const teamNames = async (ports: Ports): Promise<readonly string[]> => namesOrIds(await teamsOf(ports))

export const findTeam = async (connection: Calls, organizationId: string | undefined, word: string): Promise<Team> =>
  pickOne(await listTeams(connection, organizationId), word, naming)

const listTeams = ({ api }: Calls, organizationId: string | undefined): Promise<readonly Team[]> =>
  withTeams(() => api.team.listTeams({ organizationId }))

/** DisabledReasons without a word, in words: a service without teams, and an organization of others. */
export const withTeams = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((cause: unknown) => {
    const { code, status } = toCliError(cause)
    if (code === 'NOT_FOUND')
      throw new CliError(exitCodes.forbidden, 'This service has no teams', {
        code: 'TEAMS_ARE_NOT_ENABLED',
        status,
        hint: 'Ask its owner',
        cause,
      })
    if (code !== 'FORBIDDEN') throw cause
    const foreign = 'YOU_ARE_NOT_A_MEMBER_OF_THIS_ORGANIZATION'
    throw new CliError(exitCodes.notFound, 'You are not a member of this organization', {
      code: foreign,
      status,
      hint: hintOf(exitCodes.notFound, foreign),
      cause,
    })
  })
