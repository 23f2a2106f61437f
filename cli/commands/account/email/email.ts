import type { Command } from 'commander'
import type { Context } from '../../../context.ts'
import { noun } from '../../../noun.ts'
import { emailSetCommand } from './set.ts'
import { emailVerifyCommand } from './verify.ts'

export const accountEmailCommand = (context: Context): Command =>
  noun('email', { summary: 'The address of the signed-in user' }, [
    emailSetCommand(context),
    emailVerifyCommand(context),
  ])
