import type { Command } from 'commander'
import { canonicalEmail } from '../../../shared/email.ts'
import type { FailureCode } from '../../../shared/failure.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { FlowResult } from '../../flows/flow.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { toListedInvitation } from '../../flows/invitation/invitations.ts'
import { invitationList, invitationView } from '../../flows/invitation/list.ts'
import { cancelInvitation, invite, resendInvitation } from '../../flows/invitation/sent.ts'
import { teamsInput } from '../../flows/org/view.ts'
import { toCliError } from '../../output/error-report.ts'
import { aboutFlow, bareFlowCommand, flowCommand, runFlow } from '../flow-command.ts'
import { ifExistsOption } from '../if-exists.ts'
import { listCommand, viewCommand } from '../read-command.ts'
import { invitationWaitCommand } from './wait.ts'

export const invitationCommand = (context: Context): Command =>
  noun('invitation', { summary: 'Invitations to organizations', plural: 'invitations', also: 'invite' }, [
    listCommand(context, invitationList),
    invitationCreateCommand(context),
    viewCommand(context, invitationView),
    flowCommand(context, acceptInvitation),
    flowCommand(context, rejectInvitation),
    flowCommand(context, cancelInvitation),
    flowCommand(context, resendInvitation),
    invitationWaitCommand(context),
  ])

const ifExists = ifExistsOption(
  'if an address is already invited: fail, skip to keep that invitation, or resend it with these roles; skip and resend leave members unchanged',
  ['fail', 'skip', 'resend'],
)

function invitationCreateCommand(context: Context): Command {
  const command = bareFlowCommand(invite)
    .addOption(ifExists)
    .action(() => {
      const run = { skip: inviteOrSkip, resend: inviteOrResend }[String(command.opts()['ifExists'])] ?? invite.run
      return runFlow(context, { ...invite, run }, command)
    })
  return describeCommand(command, aboutFlow(invite))
}

type InviteArguments = Parameters<typeof invite.run>
type InviteRun = (...asked: InviteArguments) => Promise<FlowResult>

const inviteOrSkip: InviteRun = (...asked) => inviteUnless(asked, findPending)
const inviteOrResend: InviteRun = (...asked) => inviteUnless(asked, resend)

const invited: FailureCode = 'USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION'
const member: FailureCode = 'USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION'

/** The service decides who is invited or a member already: that can change between a look-up and the invitation. */
async function inviteUnless(
  asked: InviteArguments,
  whenInvited: (...asked: InviteArguments) => Promise<FlowResult | undefined>,
): Promise<FlowResult> {
  try {
    return await invite.run(...asked)
  } catch (error) {
    const { code } = toCliError(error)
    const email = canonicalEmail(asked[2].email.trim())
    if (code === member) return { sentence: `${email} is a member already`, status: 'unchanged', resource: { email } }
    const done = code === invited ? await whenInvited(...asked) : undefined
    if (done) return done
    throw error
  }
}

async function findPending(
  flowContext: InviteArguments[0],
  { organizationId }: InviteArguments[1],
  values: InviteArguments[2],
): Promise<FlowResult | undefined> {
  const { api } = await flowContext.signedIn()
  const email = canonicalEmail(values.email.trim())
  const pending = await api.invitation.listInvitations({ organizationId })
  const found = pending.find((invitation) => invitation.email === email)
  return (
    found && {
      sentence: `${email} is invited already`,
      status: 'unchanged',
      resource: toListedInvitation(found, flowContext.now()),
    }
  )
}

async function resend(
  flowContext: InviteArguments[0],
  scope: InviteArguments[1],
  { email: typed, roles }: InviteArguments[2],
): Promise<FlowResult> {
  const { api } = await flowContext.signedIn()
  const { organizationId, teamIds = [] } = scope
  const email = canonicalEmail(typed.trim())
  const again = await api.invitation.inviteMember({
    email,
    role: [...roles],
    organizationId,
    teamId: teamsInput(teamIds),
    resend: true,
  })
  return {
    sentence: `Mailed ${email} again`,
    status: 'updated',
    resource: toListedInvitation(again, flowContext.now()),
  }
}
