import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { switchAccount } from '../../flows/auth/switch.ts'
import { flowCommand } from '../flow-command.ts'
import { authJarCommand } from './jar.ts'
import { authListCommand } from './list.ts'
import { authRefreshCommand } from './refresh.ts'
import { authStatusCommand } from './status.ts'
import { authTokenCommand } from './token.ts'

export const authCommand = (context: Context): Command =>
  noun('auth', { summary: 'Who this machine is signed in as' }, [
    authStatusCommand(context),
    authListCommand(context),
    flowCommand(context, switchAccount),
    authTokenCommand(context),
    authRefreshCommand(context),
    authJarCommand(context),
  ])
