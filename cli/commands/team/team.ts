import type { Command } from 'commander'
import type { Team } from '../../../shared/organization.ts'
import { about } from '../../argv/about.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { Done } from '../../flows/flow.ts'
import type { Ports } from '../../flows/ports.ts'
import { addTeamMember, removeTeamMember, teamMemberList } from '../../flows/team/members.ts'
import { createTeam, deleteTeam, renameTeam, teamList, teamsOf } from '../../flows/team/teams.ts'
import { factsOf, flowCommand, perform, wordsOf } from '../flow-command.ts'
import { existsError, ifExistsOption, seenBy } from '../if-exists.ts'
import { listCommand } from '../look-command.ts'

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

const ifExists = ifExistsOption('where a team has that name: fail, or skip and leave it as it is')

/** The service accepts a name twice, but a command could then refer to neither team by it. */
function teamCreateCommand(context: Context): Command {
  const command = wordsOf(createTeam)
    .addOption(ifExists)
    .action(() => {
      const run: typeof createTeam.run = async (ports, scope, values) =>
        (await findNamed(ports, values.name, command.opts()['ifExists'])) ?? createTeam.run(ports, scope, values)
      return perform(context, { ...createTeam, run }, command)
    })
  return about(command, factsOf(createTeam))
}

async function findNamed(ports: Ports, name: string, ifExists: unknown): Promise<Done<Team> | undefined> {
  const resource = (await seenBy(teamsOf(ports), ifExists)).find((team) => team.name === name)
  if (resource === undefined) return undefined
  if (ifExists === 'fail') throw existsError(`There is a team ${name} already`)
  return { sentence: `Team ${name} exists already`, status: 'unchanged', resource }
}
