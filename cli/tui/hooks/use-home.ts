import { useCallback, useEffect, useState } from 'react'
import type { SessionView } from '../../../shared/entities.ts'
import { ownTrailOpening } from '../../flows/account/activity.ts'
import { sendVerification } from '../../flows/email/addresses.ts'
import { acceptInvitation, rejectInvitation } from '../../flows/invitation/answer.ts'
import { verificationForm } from '../forms/forms.ts'
import {
  areAnswersSettled,
  type HomeAnswers,
  type HomeView,
  latestActivity,
  type Notice,
  noticesOf,
  type PartResult,
} from '../home/notices.ts'
import {
  type HomeContext,
  type HomePartName,
  type HomeParts,
  homeContextOf,
  loadHomePart,
  readLastSeen,
  recordLastSeen,
} from '../home/parts.ts'
import { keyOf } from '../keymap/key-text.ts'
import type { Keymap } from '../keymap/keymap.ts'
import type { TuiConnection } from '../ports.ts'
import type { DisabledReasons } from '../state/shell-state.ts'
import { useAction, useForm } from './use-action.ts'
import type { Intents } from './use-bindings.ts'
import { useKeymap } from './use-keymap.ts'
import { useLoad } from './use-load.ts'
import { useMailing } from './use-own-actions.ts'
import { type Shell, useAppState, useShell } from './use-shell.ts'
import { useDelayedFlag } from './use-time.ts'
import { useUnseen } from './use-unseen.ts'

/** Milliseconds after which keys no longer wait for slow data. */
const patience = 3000

interface Home {
  readonly view: HomeView
  /** While loading, lines may still move. */
  readonly isLoading: boolean
}

/** The home data of the signed-in user. All parts are requested at once and appear one by one. */
export function useHome(me: SessionView): Home {
  const asker = homeContextOf(me, useAppState())
  const since = useSince()
  const answers = {
    invitations: usePart('invitations', asker),
    sessions: usePart('sessions', asker),
    keys: usePart('keys', asker),
    events: usePart('events', asker),
    recent: usePart('recent', asker),
    place: usePart('place', asker),
  }
  const view = { ...viewOf(me, answers, since), unseen: useUnseen(asker.organizationId) }
  const isKnown = since !== undefined && areAnswersSettled(answers)
  useVisit(since && latestActivity(view))
  return { view, isLoading: !useDelayedFlag(true, patience) && !isKnown }
}

/** Until the last visit is known, nothing counts as new. */
const viewOf = (me: SessionView, answers: HomeAnswers, since: Date | undefined): HomeView => ({
  me,
  answers,
  since: since ?? new Date(),
  now: Date.now(),
})

function usePart<N extends HomePartName>(
  name: N,
  { organizationId: here, isWatched }: HomeContext,
): PartResult<HomeParts[N]> {
  const { store } = useShell()
  // The other parts do not depend on the organization and are not requested again when it becomes known.
  const organizationId = name === 'place' || name === 'keys' ? here : null
  const load = useCallback(
    async (connection: TuiConnection): Promise<HomeParts[N]> =>
      loadHomePart[name](connection, { organizationId, isWatched }, await readLastSeen(store)),
    [store, name, organizationId, isWatched],
  )
  return useLoad(load)
}

function useSince(): Date | undefined {
  const { store } = useShell()
  const [since, setSince] = useState<Date>()
  useEffect(() => {
    let isGone = false
    void readLastSeen(store).then((date) => isGone || setSince(date))
    return () => {
      isGone = true
    }
  }, [store])
  return since
}

/** Records what was shown for the next visit. */
function useVisit(seen: Date | undefined): void {
  const { store } = useShell()
  const time = seen?.getTime()
  useEffect(() => {
    if (time !== undefined) void recordLastSeen(store, new Date(time))
  }, [store, time])
}

export interface NoticeEntry {
  readonly id: string
  readonly label: string
  readonly hint: string
  /** Unusual, not only pending. */
  readonly isOdd: boolean
  readonly run: () => void
}

interface NoticeControl {
  readonly entries: readonly NoticeEntry[]
  readonly disabledReasons: DisabledReasons
  /** `selected` is the id of the line that a key would act on. */
  readonly intentsFor: (selected: string | undefined) => Intents
}

/**
 * The notices of the home screen. Enter opens what can be done about one, and the most likely action has a key of its
 * own.
 */
export function useNotices(view: HomeView): NoticeControl {
  const shell = useShell()
  const keymap = useKeymap()
  const { connection } = useAppState()
  const subjects = [view.me]
  const mailing = useMailing(subjects)
  const quietly = useAction(sendVerification)
  const verifying = useForm(() => verificationForm(connection ? { server: connection.server } : {}))
  const notices = noticesOf(view)
  const invitations = notices.flatMap((notice) => (notice.kind === 'invitation' ? [notice.invitation] : []))
  const accepting = useAction(acceptInvitation, { chosen: invitations.slice(0, 1) })
  const rejecting = useAction(rejectInvitation)
  const open = (notice: Notice): void => {
    if (notice.kind === 'address') {
      const title = notice.hidesInvitations ? 'Invitations need a verified address' : notice.label
      return shell.show({ kind: 'picker', title, choices: [quietly.choice(subjects, []), verifying.choice] })
    }
    if (notice.kind !== 'invitation') return look(shell, notice)
    const { invitation, hint } = notice
    const choices = [accepting.choice([invitation], []), rejecting.choice([invitation], [hint])]
    return shell.show({ kind: 'picker', title: `${invitation.organizationName}: ${hint}`, choices })
  }
  return {
    entries: notices.map((notice) => entryOf(keymap, notice, () => open(notice))),
    disabledReasons: {
      verify: mailing.disabledReason,
      accept: invitations.length === 0 ? 'no pending invitation' : accepting.disabledReason,
    },
    intentsFor: (selected) => ({
      verify: () => mailing.ask(subjects, []),
      accept: () => {
        const invitation = invitations.find(({ id }) => id === selected) ?? invitations[0]
        if (invitation) accepting.ask([invitation], [])
        else shell.sayDisabled('Accept', 'no pending invitation')
      },
    }),
  }
}

/** The key of the most likely action on a notice. */
function keyHint(keymap: Keymap, notice: Notice): string {
  if (notice.kind === 'address')
    return `${keyOf(keymap, 'home', 'verify')} mails a link${notice.hidesInvitations ? ';' : ' to'} `
  return notice.kind === 'invitation' ? `${keyOf(keymap, 'home', 'accept')} accepts; ` : ''
}

const entryOf = (keymap: Keymap, notice: Notice, run: () => void): NoticeEntry => ({
  id: notice.id,
  label: notice.label,
  hint: keyHint(keymap, notice) + notice.hint,
  isOdd: notice.kind !== 'address' && notice.kind !== 'invitation',
  run,
})

type Odd = Exclude<Notice, { kind: 'address' | 'invitation' }>

/** Opens the screen with the full information. */
function look({ open, go }: Pick<Shell, 'open' | 'go'>, notice: Odd): void {
  if (notice.kind === 'key') {
    const { id, name, organizationId } = notice.key
    return open({ screen: 'key', subject: id, title: name, ...(organizationId === null ? {} : { organizationId }) })
  }
  if (notice.kind === 'events') return open(ownTrailOpening)
  const [only, ...others] = notice.sessions
  return only && others.length === 0 ? open({ screen: 'session', subject: only.id }) : go('sessions')
}
