import type { Command } from 'commander'
import type { Context } from '../../../context.ts'
import { noun } from '../../../noun.ts'
import { passwordForgotCommand } from './forgot.ts'
import { passwordResetCommand } from './reset.ts'
import { passwordSetCommand } from './set.ts'

export const accountPasswordCommand = (context: Context): Command =>
  noun('password', { summary: 'The password of the signed-in user, or a forgotten one' }, [
    passwordSetCommand(context),
    passwordForgotCommand(context),
    passwordResetCommand(context),
  ])
