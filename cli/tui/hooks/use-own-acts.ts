import { accountActivity } from '../../flows/account/activity.ts'
import { signOut } from '../../flows/auth/sign-out.ts'
import { commandWith } from '../../flows/command-line.ts'
import { sendVerification } from '../../flows/email/verify.ts'
import { keyList } from '../../flows/key/keys.ts'
import { createOwnKey } from '../../flows/key/new-key.ts'
import { linkList } from '../../flows/link/accounts.ts'
import { createOrganization } from '../../flows/org/create.ts'
import { revokeAll, revokeOthers } from '../../flows/session/revoke.ts'
import { impersonatingReason } from '../forms/disabled-reason.ts'
import { accountForms, deletionForm, formFor, profileForm } from '../forms/forms.ts'
import { withKey } from '../keys/key-text.ts'
import { type AppState, isImpersonating } from '../state/app-state.ts'
import type { Choice } from '../state/overlays.ts'
import { offerNext } from './next-step.ts'
import { useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import { formChoice } from './use-form.ts'
import { ownTrail } from './use-notices.ts'
import { type Shell, useShell } from './use-shell.ts'

const creationForm = formFor(createOrganization, undefined)
const ownKeyForm = formFor(createOwnKey, undefined)

/** What the signed-in person can do with their account, as their profile lists it; nothing while nobody is. */
export function useAccountActs(): () => readonly Choice[] {
  const shell = useShell()
  const state = useAppState()
  const mailing = useAction(sendVerification, { onDone: (done) => offerNext(shell, done) })
  return () => {
    const { me } = state
    if (!me) return []
    const forms = accountForms.map((form) => withOwnKey(form, formChoice(shell, state, form)))
    const mail = mailing.choice([{ user: me.user }], [])
    return [...forms.slice(0, 2), mail, ...forms.slice(2), ...partsOfAccount(shell, state)]
  }
}

function withOwnKey(form: (typeof accountForms)[number], choice: Choice): Choice {
  if (form === profileForm) return withKey('profile', 'edit', choice)
  return form === deletionForm ? withKey('profile', 'remove', choice) : choice
}

/** The same, and what other screens let them do that is about nothing selected there. */
export function useOwnActs(): () => readonly Choice[] {
  const shell = useShell()
  const state = useAppState()
  const accountActs = useAccountActs()
  const [leaving, others, all] = [useAction(signOut), useAction(revokeOthers), useAction(revokeAll)]
  return () => {
    const { me, current } = state
    if (!me) return []
    const self = [{ user: me.user }]
    return [
      ...accountActs(),
      formChoice(shell, state, () => creationForm()),
      formChoice(shell, state, () => ownKeyForm()),
      others.choice(self, []),
      all.choice(self, []),
      ...(current ? [leaving.choice([current], [])] : []),
    ]
  }
}

const partsOfAccount = ({ open }: Shell, state: AppState): readonly Choice[] => [
  {
    id: 'activity',
    label: 'Activity',
    hint: commandWith(accountActivity),
    disabledReason: isImpersonating(state) ? impersonatingReason : undefined,
    run: () => open({ screen: 'trail', title: 'Activity', trail: ownTrail }),
  },
  {
    id: 'keys',
    label: 'Keys for machines',
    hint: commandWith(keyList, [], { given: { mine: true } }),
    run: () => open({ screen: 'own-keys', title: 'Keys' }),
  },
  {
    id: 'links',
    label: 'Linked accounts',
    hint: commandWith(linkList),
    run: () => open({ screen: 'links', title: 'Linked accounts' }),
  },
]
