import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { accountActivity } from '../../flows/account/activity.ts'
import { editProfile } from '../../flows/account/edit.ts'
import { accountView } from '../../flows/account/view.ts'
import { changeEmail } from '../../flows/email/set.ts'
import { linkList } from '../../flows/link/list.ts'
import { refreshLink } from '../../flows/link/refresh.ts'
import { removeLink } from '../../flows/link/remove.ts'
import { forgotPassword } from '../../flows/password/forgot.ts'
import { resetPassword } from '../../flows/password/reset.ts'
import { changePassword } from '../../flows/password/set.ts'
import { flowCommand } from '../flow-command.ts'
import { listCommand, viewCommand } from '../look-command.ts'
import { trailCommand } from '../trail-command.ts'
import { addLinkCommand } from './add-link.ts'
import { accountDeleteCommand } from './delete.ts'
import { emailVerifyCommand } from './verify-email.ts'

export const accountCommand = (context: Context): Command =>
  noun('account', { summary: 'The signed-in user', plural: 'accounts' }, [
    viewCommand(context, accountView),
    trailCommand(context, accountActivity),
    flowCommand(context, editProfile),
    accountDeleteCommand(context),
    noun('email', { summary: 'The address of the signed-in user' }, [
      flowCommand(context, changeEmail),
      emailVerifyCommand(context),
    ]),
    noun('password', { summary: 'The password of the signed-in user, or a forgotten one' }, [
      flowCommand(context, changePassword),
      flowCommand(context, forgotPassword),
      flowCommand(context, resetPassword),
    ]),
    noun('link', { summary: 'The accounts at providers by which the signed-in user signs in', plural: 'links' }, [
      listCommand(context, linkList),
      addLinkCommand(context),
      flowCommand(context, removeLink),
      flowCommand(context, refreshLink),
    ]),
  ])
