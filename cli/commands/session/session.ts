import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { sessionListCommand } from './list.ts'
import { sessionRevokeCommand } from './revoke.ts'
import { sessionViewCommand } from './view.ts'

export const sessionCommand = (context: Context): Command =>
  noun('session', { summary: 'Where the signed-in user is signed in', plural: 'sessions' }, [
    sessionListCommand(context),
    sessionViewCommand(context),
    sessionRevokeCommand(context),
  ])
