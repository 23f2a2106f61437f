import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { roleCheck } from '../../flows/role/check.ts'
import { createRole, deleteRole, editRole } from '../../flows/role/edit.ts'
import { roleList, roleView } from '../../flows/role/roles.ts'
import { flowCommand } from '../flow-command.ts'
import { checkCommand, listCommand, viewCommand } from '../read-command.ts'

export const roleCommand = (context: Context): Command =>
  noun('role', { summary: 'Roles in an organization: those of the service, and its own', plural: 'roles' }, [
    listCommand(context, roleList),
    viewCommand(context, roleView),
    checkCommand(context, roleCheck),
    flowCommand(context, createRole),
    flowCommand(context, editRole),
    flowCommand(context, deleteRole),
  ])
