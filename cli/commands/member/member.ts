import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { memberList, memberView, ownMembership } from '../../flows/member/members.ts'
import { removeMember } from '../../flows/member/remove.ts'
import { setRoles } from '../../flows/member/set-roles.ts'
import { flowCommand } from '../flow-command.ts'
import { listCommand, viewCommand } from '../read-command.ts'

export const memberCommand = (context: Context): Command =>
  noun('member', { summary: 'Members of an organization', plural: 'members' }, [
    listCommand(context, memberList),
    viewCommand(context, memberView),
    viewCommand(context, ownMembership),
    flowCommand(context, removeMember),
    noun('role', { summary: 'The roles of a member' }, [flowCommand(context, setRoles)]),
  ])
