import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { roleCheckCommand } from './check.ts'
import { roleListCommand } from './list.ts'

export const roleCommand = (context: Context): Command =>
  noun('role', { summary: 'Roles of organizations', plural: 'roles' }, [
    roleListCommand(context),
    roleCheckCommand(context),
  ])
