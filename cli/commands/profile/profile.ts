import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { profileCreateCommand } from './create.ts'
import { profileDeleteCommand } from './delete.ts'
import { profileListCommand } from './list.ts'
import { profileUseCommand } from './use.ts'

export const profileCommand = (context: Context): Command =>
  noun('profile', { summary: 'Services and settings under a name', plural: 'profiles' }, [
    profileListCommand(context),
    profileCreateCommand(context),
    profileUseCommand(context),
    profileDeleteCommand(context),
  ])
