import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { roleCheck } from '../../flows/role/check.ts'
import { roleList, roleView } from '../../flows/role/roles.ts'
import { checkCommand, listCommand, viewCommand } from '../read-command.ts'

export const roleCommand = (context: Context): Command =>
  noun('role', { summary: 'Roles of organizations', plural: 'roles' }, [
    listCommand(context, roleList),
    viewCommand(context, roleView),
    checkCommand(context, roleCheck),
  ])
