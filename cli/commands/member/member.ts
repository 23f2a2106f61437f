import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { memberListCommand } from './list.ts'
import { memberMeCommand } from './me.ts'
import { memberRemoveCommand } from './remove.ts'
import { memberRoleCommand } from './role.ts'
import { memberViewCommand } from './view.ts'

export const memberCommand = (context: Context): Command =>
  noun('member', { summary: 'Members of an organization', plural: 'members' }, [
    memberListCommand(context),
    memberViewCommand(context),
    memberMeCommand(context),
    memberRemoveCommand(context),
    memberRoleCommand(context),
  ])
