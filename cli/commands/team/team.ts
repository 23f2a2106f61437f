import type { Command } from 'commander'
import type { Team } from '../../../shared/organization.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { FlowResult } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { addTeamMember, removeTeamMember, teamMemberList } from '../../flows/team/members.ts'
import { createTeam, deleteTeam, renameTeam, teamList, teamsOf } from '../../flows/team/teams.ts'
import { aboutFlow, bareFlowCommand, flowCommand, runFlow } from '../flow-command.ts'
import { alreadyExistsError, existingItems, ifExistsOption } from '../if-exists.ts'
import { listCommand } from '../read-command.ts'

export const teamCommand = (context: Context): Command =>
  noun('team', { summary: 'Teams of an organization', plural: 'teams' }, [
    listCommand(context, teamList),
    teamCreateCommand(context),
    flowCommand(context, renameTeam),
    flowCommand(context, deleteTeam),
    noun('member', { summary: 'Who is in a team', plural: 'members' }, [
      listCommand(context, teamMemberList),
      flowCommand(context, addTeamMember),
      flowCommand(context, removeTeamMember),
    ]),
  ])

const ifExists = ifExistsOption('if a team of that name exists: fail, or skip and leave it unchanged')

/** The service accepts a name twice, but a command could then refer to neither team by it. */
function teamCreateCommand(context: Context): Command {
  const command = bareFlowCommand(createTeam)
    .addOption(ifExists)
    .action(() => {
      const run: typeof createTeam.run = async (flowContext, scope, values) =>
        (await findNamed(flowContext, values.name, command.opts()['ifExists'])) ??
        createTeam.run(flowContext, scope, values)
      return runFlow(context, { ...createTeam, run }, command)
    })
  return describeCommand(command, aboutFlow(createTeam))
}

async function findNamed(
  flowContext: FlowContext,
  name: string,
  ifExists: unknown,
): Promise<FlowResult<Team> | undefined> {
  const resource = (await existingItems(teamsOf(flowContext), ifExists)).find((team) => team.name === name)
  if (resource === undefined) return undefined
  if (ifExists === 'fail') throw alreadyExistsError(`There is a team ${name} already`)
  return { sentence: `Team ${name} exists already`, status: 'unchanged', resource }
}
