import { accountActivity } from '../../flows/account/activity.ts'
import { commandWith } from '../../flows/command-line.ts'
import { sendVerification } from '../../flows/email/verify.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import type { Trail } from '../../flows/resource.ts'
import { verificationForm } from '../forms/forms.ts'
import { type HomeView, type Notice, noticesOf } from '../home/notices.ts'
import type { DisabledReasons } from '../state/overlays.ts'
import { offerNext } from './next-step.ts'
import { useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import type { Intents } from './use-bindings.ts'
import { useForm } from './use-form.ts'
import { type Shell, useShell } from './use-shell.ts'

export interface NoticeEntry {
  readonly id: string
  readonly label: string
  readonly hint: string
  /** Odd, not only waiting. */
  readonly isOdd: boolean
  readonly run: () => void
}

interface NoticeControl {
  readonly entries: readonly NoticeEntry[]
  readonly disabledReasons: DisabledReasons
  /** `selected`: the id of the line that a key would act on. */
  readonly intentsFor: (selected: string | undefined) => Intents
}

/** What waits and what is odd, each with what is done about it behind enter; the likeliest act has a key of its own. */
export function useNotices(view: HomeView): NoticeControl {
  const shell = useShell()
  const { connection } = useAppState()
  const subjects = [view.me]
  const mailing = useAction(sendVerification, { chosen: subjects, onDone: (done) => offerNext(shell, done) })
  const quietly = useAction(sendVerification)
  const verifying = useForm(() => verificationForm(connection ? { server: connection.server } : {}))
  const notices = noticesOf(view)
  const invitations = notices.flatMap((notice) => (notice.kind === 'invitation' ? [notice.invitation] : []))
  const accepting = useAction(acceptInvitation, { chosen: invitations.slice(0, 1) })
  const rejecting = useAction(rejectInvitation)
  const open = (notice: Notice): void => {
    if (notice.kind === 'address') {
      const title = notice.hidesInvitations ? 'Invitations are for verified addresses' : notice.label
      return shell.show({ kind: 'picker', title, choices: [quietly.choice(subjects, []), verifying.choice] })
    }
    if (notice.kind !== 'invitation') return look(shell, notice)
    const { invitation, hint } = notice
    const choices = [accepting.choice([invitation], []), rejecting.choice([invitation], [hint])]
    return shell.show({ kind: 'picker', title: `${invitation.organizationName}: ${hint}`, choices })
  }
  return {
    entries: notices.map((notice) => entryOf(notice, () => open(notice))),
    disabledReasons: {
      verify: mailing.disabledReason,
      accept: invitations.length === 0 ? 'no invitation waits' : accepting.disabledReason,
    },
    intentsFor: (selected) => ({
      verify: () => mailing.ask(subjects, []),
      accept: () => {
        const invitation = invitations.find(({ id }) => id === selected) ?? invitations[0]
        if (invitation) accepting.ask([invitation], [])
        else shell.sayDisabled('Accept', 'no invitation waits')
      },
    }),
  }
}

const keyHints: Partial<Readonly<Record<Notice['kind'], string>>> = {
  address: 'v mails a link; ',
  invitation: 'i accepts; ',
}

const entryOf = (notice: Notice, run: () => void): NoticeEntry => ({
  id: notice.id,
  label: notice.label,
  hint: `${keyHints[notice.kind] ?? ''}${notice.hint}`,
  isOdd: notice.kind !== 'address' && notice.kind !== 'invitation',
  run,
})

type Odd = Exclude<Notice, { kind: 'address' | 'invitation' }>

/** To where it is told whole. */
function look({ open, go }: Pick<Shell, 'open' | 'go'>, notice: Odd): void {
  if (notice.kind === 'key') {
    const { id, name, organizationId } = notice.key
    return open({ screen: 'key', subject: id, title: name, ...(organizationId === null ? {} : { organizationId }) })
  }
  if (notice.kind === 'events') return open({ screen: 'trail', title: 'Activity', trail: ownTrail })
  const [only, ...others] = notice.sessions
  return only && others.length === 0 ? open({ screen: 'session', subject: only.id }) : go('sessions')
}

/** What was done with the account of who is signed in. */
export const ownTrail: Trail = {
  ask: ({ api }) => api.audit.listActivity,
  command: commandWith(accountActivity),
}
