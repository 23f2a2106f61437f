import type { Command } from 'commander'
import type { Team } from '../../../shared/organization.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { FlowResult } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { addTeamMember, removeTeamMember, teamMemberList } from '../../flows/team/members.ts'
import { createTeam, deleteTeam, renameTeam, teamList, teamsOf, useTeam } from '../../flows/team/teams.ts'
import { flowCommand } from '../flow-command.ts'
import { alreadyExistsError, createUnlessExists, existingItems, ifExistsOption } from '../if-exists.ts'
import { listCommand } from '../read-command.ts'

export const teamCommand = (context: Context): Command =>
  noun('team', { summary: 'Teams of an organization', plural: 'teams' }, [
    listCommand(context, teamList),
    createUnlessExists(context, createTeam, { option: ifExists, find: findNamed }),
    flowCommand(context, renameTeam),
    flowCommand(context, deleteTeam),
    flowCommand(context, useTeam),
    noun('member', { summary: 'Who is in a team', plural: 'members' }, [
      listCommand(context, teamMemberList),
      flowCommand(context, addTeamMember),
      flowCommand(context, removeTeamMember),
    ]),
  ])

const ifExists = ifExistsOption('if a team of that name exists: fail, or skip and leave it unchanged')

/** The service accepts a name twice, but a command could then refer to neither team by it. */
async function findNamed(
  flowContext: FlowContext,
  { name }: { readonly name: string },
  ifExists: unknown,
): Promise<FlowResult<Team> | undefined> {
  const resource = (await existingItems(teamsOf(flowContext), ifExists)).find((team) => team.name === name)
  if (resource === undefined) return undefined
  if (ifExists === 'fail') throw alreadyExistsError(`There is a team ${name} already`)
  return { sentence: `Team ${name} exists already`, status: 'unchanged', resource }
}
