import type { InvitationView } from '../../../shared/organization.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { verificationForm } from '../forms/forms.ts'
import type { TuiConnection } from '../ports.ts'
import type { Choice } from '../state/overlays.ts'
import { needsVerification } from '../text/shown-error.ts'
import { useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import { useForm } from './use-form.ts'
import { useLoad } from './use-load.ts'
import { useShell } from './use-shell.ts'

const load = ({ api }: TuiConnection) => api.invitation.listUserInvitations()

interface InvitationEntry extends Choice {
  readonly hint: string
}

/** What waits for the signed-in person: an entry for each invitation, with accept and reject behind it. */
export function useInvitations(): readonly InvitationEntry[] {
  const shell = useShell()
  const { me, connection } = useAppState()
  const { data = [], shownError } = useLoad(load)
  const [accepting, rejecting] = [useAction(acceptInvitation), useAction(rejectInvitation)]
  const mailing = useAction(sendVerification)
  const verifying = useForm(() => verificationForm(connection ? { server: connection.server } : {}))
  if (!me) return []
  if (shownError) {
    if (!needsVerification(shownError)) return []
    const choices = [mailing.choice([{ user: me.user }], []), verifying.choice]
    const title = 'Invitations are for verified addresses'
    return [
      {
        id: 'invitations',
        label: 'Invitations',
        hint: 'shown once your address is verified: enter says how',
        run: () => shell.show({ kind: 'picker', title, choices }),
      },
    ]
  }
  return data.map((invitation) => ({
    id: invitation.id,
    label: `Invitation: ${invitation.organizationName}`,
    hint: describe(invitation),
    run: () =>
      shell.show({
        kind: 'picker',
        title: `${invitation.organizationName}: ${describe(invitation)}`,
        choices: [accepting.choice([invitation], []), rejecting.choice([invitation], [describe(invitation)])],
      }),
  }))
}

const describe = ({ role, inviterEmail, expiresAt }: InvitationView): string =>
  `as ${roleText(role)}, from ${inviterEmail}, ends ${relativeTime(expiresAt, Date.now())}`
