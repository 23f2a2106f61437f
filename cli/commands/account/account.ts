import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { accountEditCommand } from './edit.ts'
import { accountViewCommand } from './view.ts'

export const accountCommand = (context: Context): Command =>
  noun('account', { summary: 'The signed-in user', plural: 'accounts' }, [
    accountViewCommand(context),
    accountEditCommand(context),
  ])
