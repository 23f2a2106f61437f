import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { addTeamMember, removeTeamMember, teamMemberList } from '../../flows/team/members.ts'
import { deleteTeam, renameTeam, teamList } from '../../flows/team/teams.ts'
import { flowCommand } from '../flow-command.ts'
import { listCommand } from '../look-command.ts'
import { teamCreateCommand } from './create.ts'

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
