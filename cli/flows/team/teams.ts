import { exitCodes } from '../../../shared/exit-codes.ts'
import type { ListedTeam, MemberView, Team } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { hintOf } from '../../output/hints.ts'
import { type Naming, pickOne, uniqueNamesOrIds } from '../candidates.ts'
import { nameProblem } from '../field-checks.ts'
import { type Flow, flag, type NoFields, type Subject } from '../flow.ts'
import type { FlowConnection, FlowContext } from '../flow-context.ts'
import { inverseOf } from '../inverse.ts'
import type { Listing } from '../listing.ts'
import {
  inOrganization,
  type OrganizationScope,
  organizationIdOf,
  workingOrganizationId,
} from '../org/organizations.ts'
import { membersOfTeam, type OrganizationView, teamIdsOf, whyNotChangeTeams } from '../org/view.ts'
import { columnsOf, type FieldsOf, nameList } from '../resource-fields.ts'

type Calls = Pick<FlowConnection, 'api'>

const isIn = (member: MemberView | undefined, { id }: Pick<Team, 'id'>): boolean =>
  member !== undefined && teamIdsOf(member).includes(id)

export const teamFields = {
  id: { title: 'ID', type: 'text', id: 'argument' },
  name: { title: 'Name', type: 'text' },
  organizationId: { title: 'Organization', type: 'text' },
  createdAt: { title: 'Created', type: 'date' },
  updatedAt: { title: 'Updated', type: 'date?' },
  members: {
    title: 'Members',
    inList: ({ id }, view) => String(membersOfTeam(view, id).length),
    inDetail: ({ id }, view) => nameList(membersOfTeam(view, id).map(({ user }) => user.name)),
  },
  yours: {
    title: '',
    inList: (team, { self, activeTeamId }) =>
      [isIn(self, team) && 'yours', team.id === activeTeamId && 'active'].filter(Boolean).join(', '),
  },
} as const satisfies FieldsOf<Team, Team, OrganizationView>

const listedFields = {
  ...teamFields,
  memberCount: { title: 'Members', type: 'number?' },
} as const satisfies FieldsOf<ListedTeam, ListedTeam, OrganizationView>

const columns = columnsOf<ListedTeam>(listedFields, ['name', 'memberCount', 'createdAt', 'id'])

const naming: Naming<Team> = {
  kind: 'team',
  ids: ({ id }) => [id],
  ways: [({ name }, word) => name === word],
  describe: ({ id, name, createdAt }) => `${id}  ${name}  created ${createdAt.toISOString()}`,
  list: 'See them: postern team list',
}

export const teamArgument = 'id or unique name'

/** A team, and how `--org` names its organization in a command. */
interface NamedTeam {
  readonly team: Team
  readonly org?: string | undefined
}

const teamSubject: Subject<NamedTeam> = {
  argument: '<team>',
  summary: teamArgument,
  key: 'teamId',
  finder: async (context) => {
    const teams = await teamsOf(context)
    return (word = '') => ({ team: pickOne(teams, word, naming) })
  },
  words: ({ team, org }) => ({ word: team.name, flags: flag('org', org) }),
  complete: (context) => teamNames(context),
}

const filterFields = {
  mine: { kind: 'toggle', label: 'Mine', flag: '--mine', summary: 'those that the signed-in user is in' },
} as const

export const teamList: Listing<ListedTeam, typeof filterFields> = {
  command: 'team list',
  summary: 'The teams of the organization',
  fields: filterFields,
  call: '/organization/list-teams',
  answer: listedFields,
  columns,
  empty: ({ mine }) => (mine ? 'You are in no team' : 'No teams'),
  examples: ['', '--org acme --json=id,name', '--mine'],
  list: (context, { mine }) => (mine ? ownTeams(context) : teamsOf(context)),
}

/** The teams of the named organization, or of the active one. */
export async function teamsOf(context: FlowContext): Promise<readonly ListedTeam[]> {
  const connection = await context.signedIn()
  return listTeams(connection, await workingOrganizationId(context))
}

/** The caller's teams in the named organization, or in all of them. */
async function ownTeams(context: FlowContext): Promise<readonly ListedTeam[]> {
  const connection = await context.signedIn()
  const organizationId = await organizationIdOf(connection, context.organization)
  return withTeams(() => connection.api.team.listUserTeams({ organizationId }))
}

export const teamNames = async (context: FlowContext): Promise<readonly string[]> =>
  uniqueNamesOrIds(await teamsOf(context))

/** Finds teams among all of an organization. */
export async function teamFinder(
  connection: Calls,
  organizationId: string | undefined,
): Promise<(word: string) => Team> {
  const teams = await listTeams(connection, organizationId)
  return (word) => pickOne(teams, word, naming)
}

const listTeams = ({ api }: Calls, organizationId: string | undefined): Promise<readonly ListedTeam[]> =>
  withTeams(() => api.team.listTeams({ organizationId }))

/**
 * Explains two refusals without a message: the service has no teams, or the caller is not a member of the organization.
 */
const withTeams = <T>(ask: () => Promise<T>): Promise<T> =>
  ask().catch((cause: unknown) => {
    const { code, status } = toCliError(cause)
    if (code === 'NOT_FOUND')
      throw new CliError(exitCodes.forbidden, 'This service has no teams', {
        code: 'TEAMS_ARE_NOT_ENABLED',
        status,
        hint: 'Ask the operator of the service',
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

const fields = {
  name: { kind: 'text', label: 'Name', argument: '<name>', summary: 'its name', check: nameProblem },
} as const

export const createTeam: Flow<OrganizationScope, typeof fields, OrganizationView, Team> = {
  command: 'team create',
  summary: 'Create a team in the organization',
  title: 'Create a team',
  subject: inOrganization,
  fields,
  call: '/organization/create-team',
  answer: teamFields,
  examples: ['Design'],
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:create'),
  // The service accepts a name twice, but commands could then refer to neither team by it.
  check: ({ name }, _, view) => ({
    name: view?.organization.teams?.some((team) => team.name === name) ? 'There is a team of that name' : undefined,
  }),
  run: async (context, { organizationId }, { name }) => {
    const { api } = await context.signedIn()
    const resource = await withTeams(() => api.team.createTeam({ name, organizationId }))
    return { sentence: `Created team ${resource.name}`, status: 'created', resource }
  },
}

const renameTeamFields = {
  name: { kind: 'text', label: 'Name', flag: '--name <name>', summary: 'new name', check: nameProblem },
} as const

export const renameTeam: Flow<NamedTeam, typeof renameTeamFields, OrganizationView, Team> = {
  command: 'team edit',
  summary: 'Rename a team',
  title: 'Rename the team',
  subject: teamSubject,
  fields: renameTeamFields,
  call: '/organization/update-team',
  answer: teamFields,
  examples: ['Design --name Drawing'],
  disabledReason: (_, view) => whyNotChangeTeams(view, 'team:update'),
  initial: ([one]) => ({ name: one?.team.name ?? '' }),
  run: async (context, { team }, { name }) => {
    const { id, name: before, organizationId } = team
    if (name === before) return { sentence: `Team ${name} has that name already`, status: 'unchanged', resource: team }
    const { api } = await context.signedIn()
    const resource = await api.team.updateTeam({ teamId: id, data: { name, organizationId } })
    return { sentence: `Team ${before} is now ${resource.name}`, status: 'updated', resource }
  },
  inverse: ({ subject: { team, org }, resource }) =>
    inverseOf(renameTeam, {
      subject: { team: resource, org },
      values: { name: team.name },
      what: `The name of team ${resource.name}`,
      isUnchanged: async (context) => {
        const teams = await listTeams(await context.signedIn(), team.organizationId)
        return teams.some(({ id, name }) => id === team.id && name === resource.name)
      },
    }),
}

export const deleteTeam: Flow<NamedTeam, NoFields, OrganizationView, Team> = {
  command: 'team delete',
  summary: 'Delete teams; their members stay in the organization',
  title: 'Delete the team',
  subject: { ...teamSubject, argument: '<team...>' },
  fields: {},
  bulk: 'subject',
  answersOne: true,
  call: '/organization/remove-team',
  answer: teamFields,
  examples: ['Design', 'Design --yes', 'Design Ops --yes'],
  consent: {
    question: (several) =>
      `Delete ${several.map(({ team }) => `team ${team.name}`).join(', ')}? The members stay in the organization.`,
  },
  disabledReason: ([one], view) =>
    (one && isIn(view.self, one.team) ? 'you are in it yourself' : undefined) ?? whyNotChangeTeams(view, 'team:delete'),
  run: async (context, { team }) => {
    const { api } = await context.signedIn()
    await api.team.removeTeam({ teamId: team.id, organizationId: team.organizationId })
    return { sentence: `Deleted team ${team.name}`, status: 'deleted', resource: team }
  },
}

/** The active team is one of the active organization, which stays as it is for somebody who is not in the team. */
async function useOrganizationOf(context: FlowContext, { id, organizationId }: Team): Promise<void> {
  const { session } = await context.session()
  if (session.activeOrganizationId === organizationId) return
  const { api } = await context.signedIn()
  const mine = await withTeams(() => api.team.listUserTeams({ organizationId }))
  if (!mine.some((team) => team.id === id)) throw notInTeam()
  await api.organization.setActive({ organizationId })
}

/** As the service refuses it once the organization is active. */
function notInTeam(): CliError {
  const code = 'USER_IS_NOT_A_MEMBER_OF_THE_TEAM'
  return new CliError(exitCodes.forbidden, 'User is not a member of the team', {
    code,
    hint: hintOf(exitCodes.forbidden, code),
  })
}

/** Null: no team. */
export const useTeam: Flow<NamedTeam | null, NoFields, OrganizationView, object> = {
  command: 'team use',
  summary: 'Make a team of yours, and its organization, the active one of this session',
  title: 'Make it the active team',
  subject: {
    argument: '<team>',
    summary: `${teamArgument}; - for none`,
    key: 'teamId',
    finder: async (context, values, words) =>
      words[0] === '-' ? () => null : await teamSubject.finder(context, values, words),
    words: (chosen) => ({ word: chosen?.team.name ?? '-', flags: flag('org', chosen?.org) }),
    complete: (context) => teamNames(context),
  },
  fields: {},
  call: '/organization/set-active-team',
  answer: { ...teamFields, id: 'text?', name: 'text?', organizationId: 'text?', createdAt: 'date?' },
  examples: ['Design', '-'],
  disabledReason: ([one], view) => (one && !isIn(view.self, one.team) ? 'you are not in it' : undefined),
  run: async (context, chosen) => {
    const { api } = await context.signedIn()
    if (chosen) await useOrganizationOf(context, chosen.team)
    await withTeams(() => api.team.setActiveTeam({ teamId: chosen?.team.id ?? null }))
    const sentence = chosen ? `Using team ${chosen.team.name}` : 'Using no team'
    return { sentence, status: 'updated', resource: chosen?.team ?? { id: null, name: null } }
  },
}
