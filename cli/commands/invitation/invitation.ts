import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { cancelInvitation } from '../../flows/invitation/cancel.ts'
import { invite } from '../../flows/invitation/create.ts'
import { resendInvitation } from '../../flows/invitation/resend.ts'
import { flowCommand } from '../flow-command.ts'
import { invitationListCommand } from './list.ts'
import { invitationViewCommand } from './view.ts'

export const invitationCommand = (context: Context): Command =>
  noun('invitation', { summary: 'Invitations to organizations', plural: 'invitations', also: 'invite' }, [
    invitationListCommand(context),
    flowCommand(context, invite),
    invitationViewCommand(context),
    flowCommand(context, acceptInvitation),
    flowCommand(context, rejectInvitation),
    flowCommand(context, cancelInvitation),
    flowCommand(context, resendInvitation),
  ])
