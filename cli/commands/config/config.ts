import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { configGetCommand } from './get.ts'
import { configListCommand } from './list.ts'
import { configSetCommand } from './set.ts'
import { configUnsetCommand } from './unset.ts'

export const configCommand = (context: Context): Command =>
  noun('config', { summary: 'Settings of every run on this machine' }, [
    configListCommand(context),
    configGetCommand(context),
    configSetCommand(context),
    configUnsetCommand(context),
  ])
