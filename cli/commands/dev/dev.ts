import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { devMailCommand } from './mail.ts'

export const devCommand = (context: Context): Command =>
  noun('dev', { summary: 'Look into a service that you develop with' }, [devMailCommand(context)])
