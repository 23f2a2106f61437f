import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { devMailCommand } from './mail.ts'

export const devCommand = (context: Context): Command =>
  noun('dev', { summary: 'Look into a service that you develop with' }, [devMailCommand(context)])
