import type { Command } from 'commander'
import type { Context } from '../../context.ts'
import { noun } from '../../noun.ts'
import { invitationAcceptCommand, invitationRejectCommand } from './answer.ts'
import { invitationCancelCommand } from './cancel.ts'
import { invitationCreateCommand } from './create.ts'
import { invitationListCommand } from './list.ts'
import { invitationResendCommand } from './resend.ts'
import { invitationViewCommand } from './view.ts'

export const invitationCommand = (context: Context): Command =>
  noun('invitation', { summary: 'Invitations to organizations', plural: 'invitations', also: 'invite' }, [
    invitationListCommand(context),
    invitationCreateCommand(context),
    invitationViewCommand(context),
    invitationAcceptCommand(context),
    invitationRejectCommand(context),
    invitationCancelCommand(context),
    invitationResendCommand(context),
  ])
