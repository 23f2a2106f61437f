import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
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
