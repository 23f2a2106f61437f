import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { banUser } from '../../flows/admin/ban.ts'
import { createUser } from '../../flows/admin/create.ts'
import { deleteUser } from '../../flows/admin/delete.ts'
import { impersonateUser } from '../../flows/admin/impersonate.ts'
import { userList } from '../../flows/admin/list.ts'
import { rotateKeys } from '../../flows/admin/rotate-keys.ts'
import { userSessionList } from '../../flows/admin/sessions.ts'
import { setUserPassword } from '../../flows/admin/set-password.ts'
import { setUserRoles } from '../../flows/admin/set-roles.ts'
import { stopImpersonating } from '../../flows/admin/stop-impersonating.ts'
import { unbanUser } from '../../flows/admin/unban.ts'
import { userView } from '../../flows/admin/view.ts'
import { auditList } from '../../flows/audit/list.ts'
import { flowCommand } from '../flow-command.ts'
import { listCommand, viewCommand } from '../look-command.ts'
import { trailCommand } from '../trail-command.ts'
import { adminBootstrapCommand } from './bootstrap.ts'
import { userSessionRevokeCommand } from './revoke.ts'

export const adminCommand = (context: Context): Command =>
  noun('admin', { summary: 'The users of the service, for those who run it' }, [
    userCommand(context),
    noun('impersonation', { summary: 'Acting as somebody else' }, [flowCommand(context, stopImpersonating)]),
    noun('session', { summary: 'Where users are signed in', plural: 'sessions' }, [
      listCommand(context, userSessionList),
      userSessionRevokeCommand(context),
    ]),
    noun('audit', { summary: 'What was done, by whom, to whom' }, [trailCommand(context, auditList)]),
    noun('keys', { summary: 'The keys that sign tokens for other services' }, [flowCommand(context, rotateKeys)]),
    adminBootstrapCommand(context),
  ])

const userCommand = (context: Context): Command =>
  noun('user', { summary: 'The users of the service', plural: 'users' }, [
    listCommand(context, userList),
    viewCommand(context, userView),
    flowCommand(context, createUser),
    flowCommand(context, deleteUser),
    flowCommand(context, banUser),
    flowCommand(context, unbanUser),
    noun('role', { summary: 'The platform roles of a user', plural: 'roles' }, [flowCommand(context, setUserRoles)]),
    noun('password', { summary: 'The password of a user' }, [flowCommand(context, setUserPassword)]),
    flowCommand(context, impersonateUser),
  ])
