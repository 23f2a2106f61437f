import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { roleCheckCommand } from './check.ts'
import { roleListCommand } from './list.ts'

export const roleCommand = (context: Context): Command =>
  noun('role', { summary: 'Roles of organizations', plural: 'roles' }, [
    roleListCommand(context),
    roleCheckCommand(context),
  ])
