import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { sessionList, sessionView } from '../../flows/session/sessions.ts'
import { listCommand, viewCommand } from '../look-command.ts'
import { sessionRevokeCommand } from './revoke.ts'

export const sessionCommand = (context: Context): Command =>
  noun('session', { summary: 'Where the signed-in user is signed in', plural: 'sessions' }, [
    listCommand(context, sessionList),
    viewCommand(context, sessionView),
    sessionRevokeCommand(context),
  ])
