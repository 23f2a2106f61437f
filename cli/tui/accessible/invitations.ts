import { sendVerification } from '../../flows/email/verify.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { verificationForm } from '../forms/forms.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { needsVerification, toShownError } from '../text/shown-error.ts'
import { actionItem, attempt, type Conversation, formItem, stay } from './conversation.ts'
import { choose } from './menu.ts'

/** What waits for me, in any organization. */
export async function invitations(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const menu = async () => {
    const mine = await connectionOf(store).api.invitation.listUserInvitations().catch(hidden)
    if (mine === 'hidden') return verify(conversation)
    terminal.say(mine.length === 1 ? '1 invitation.' : `${mine.length} invitations.`)
    const items = mine.flatMap((invitation) => {
      const { organizationName, role, inviterEmail, expiresAt } = invitation
      const what = `${organizationName}, as ${roleText(role)}, from ${inviterEmail}`
      const ends = relativeTime(expiresAt, Date.now())
      return [
        actionItem(conversation, acceptInvitation, { subjects: [invitation], label: `Accept ${what}, ends ${ends}` }),
        actionItem(conversation, rejectInvitation, { subjects: [invitation], label: `Reject ${what}` }),
      ]
    })
    return choose(terminal, items, 'Back')
  }
  await attempt(conversation, () => stay(conversation, menu))
}

function hidden(error: unknown): 'hidden' {
  if (needsVerification(toShownError(error))) return 'hidden'
  throw error
}

async function verify(conversation: Conversation): Promise<boolean> {
  const { terminal, store } = conversation
  terminal.say('Invitations are shown once your address is verified.')
  const { me } = store.state
  return choose(
    terminal,
    [
      ...(me ? [actionItem(conversation, sendVerification, { subjects: [me] })] : []),
      formItem(conversation, () => verificationForm()),
    ],
    'Back',
  )
}
