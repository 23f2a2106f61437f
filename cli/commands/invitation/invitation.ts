import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { cancelInvitation } from '../../flows/invitation/cancel.ts'
import { invitationList } from '../../flows/invitation/list.ts'
import { resendInvitation } from '../../flows/invitation/resend.ts'
import { invitationView } from '../../flows/invitation/view.ts'
import { flowCommand } from '../flow-command.ts'
import { listCommand, viewCommand } from '../look-command.ts'
import { invitationCreateCommand } from './create.ts'

export const invitationCommand = (context: Context): Command =>
  noun('invitation', { summary: 'Invitations to organizations', plural: 'invitations', also: 'invite' }, [
    listCommand(context, invitationList),
    invitationCreateCommand(context),
    viewCommand(context, invitationView),
    flowCommand(context, acceptInvitation),
    flowCommand(context, rejectInvitation),
    flowCommand(context, cancelInvitation),
    flowCommand(context, resendInvitation),
  ])
