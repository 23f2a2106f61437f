import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { accountDeleteCommand } from './delete.ts'
import { accountEditCommand } from './edit.ts'
import { accountEmailCommand } from './email/email.ts'
import { accountPasswordCommand } from './password/password.ts'
import { accountViewCommand } from './view.ts'

export const accountCommand = (context: Context): Command =>
  noun('account', { summary: 'The signed-in user', plural: 'accounts' }, [
    accountViewCommand(context),
    accountEditCommand(context),
    accountDeleteCommand(context),
    accountEmailCommand(context),
    accountPasswordCommand(context),
  ])
