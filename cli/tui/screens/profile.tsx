import type { FullUser } from '../../../shared/entities.ts'
import { accountActivity } from '../../flows/account/activity.ts'
import { accountView } from '../../flows/account/view.ts'
import { commandWith } from '../../flows/command-line.ts'
import { sendVerification } from '../../flows/email/send-verification.ts'
import type { Form } from '../../flows/flow.ts'
import { keyList } from '../../flows/key/list.ts'
import { linkList } from '../../flows/link/list.ts'
import { disabledReasonOf } from '../forms/disabled-reason.ts'
import { accountForms, deletionForm, profileForm } from '../forms/forms.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useForm } from '../hooks/use-form.ts'
import { ownTrail } from '../hooks/use-notices.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { withKey } from '../keys/key-text.ts'
import type { AppState } from '../state/app-state.ts'
import { fullTime } from '../text/session-text.ts'
import { LoadNote } from './load-note.tsx'
import { type MenuEntry, MenuView, useMenu } from './menu-view.tsx'
import { offerNext } from './next-step.ts'
import { Page, type ScreenProps } from './page.tsx'

/** The signed-in person, and what they can do with their account. */
export function ProfileScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me, shownError } = state
  const mailing = useAction(sendVerification, { onDone: (done) => offerNext(shell, done) })
  const [editing, deleting] = [useForm(profileForm), useForm(deletionForm)]
  const [edit, changeEmail, ...others] = me ? accountForms.map((form) => formEntry(shell, form, form(state))) : []
  const mail = { hint: '', ...mailing.choice(me ? [{ user: me.user }] : [], []) }
  const links = {
    id: 'links',
    label: 'Linked accounts',
    hint: commandWith(linkList),
    run: () => shell.open({ screen: 'links', title: 'Linked accounts' }),
  }
  const activity = {
    id: 'activity',
    label: 'Activity',
    hint: commandWith(accountActivity),
    run: () => shell.open({ screen: 'trail', title: 'Activity', trail: ownTrail }),
  }
  const keys = {
    id: 'keys',
    label: 'Keys for machines',
    hint: commandWith(keyList, [], { given: { mine: true } }),
    run: () => shell.open({ screen: 'own-keys', title: 'Keys' }),
  }
  const entries =
    me && edit && changeEmail
      ? [withKey('profile', 'edit', edit), changeEmail, mail, ...others, activity, keys, links]
      : []
  const menu = useMenu(entries, me ? factsOf(me.user) : [])
  return (
    <Page
      screen="profile"
      isActive={isActive}
      isLoading={!me && !shownError}
      disabledReasons={{ edit: editing.disabledReason, remove: deleting.disabledReason }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: editing.open,
        remove: deleting.open,
        actions: () => shell.show({ kind: 'picker', title: me?.user.name ?? '', choices: entries }),
        'copy-id': () => me && shell.copy(me.user.id, 'the user id'),
        'copy-command': () => shell.copy(commandWith(accountView), 'the command'),
      }}
    >
      <MenuView menu={menu} note={<LoadNote isLoading={!shownError} shownError={shownError} empty="" />} />
    </Page>
  )
}

function formEntry({ isReadOnly, open }: Shell, form: (state: AppState) => Form, now: Form): MenuEntry {
  const { title, command, initial } = now
  const disabledReason = disabledReasonOf({ writes: true, disabledReason: now.disabledReason }, isReadOnly)
  return {
    id: title,
    label: title,
    hint: command(initial),
    disabledReason,
    run: () => open({ screen: 'form', form, title }),
  }
}

const factsOf = (user: FullUser) => [
  { label: 'E-mail', value: `${user.email}  (${user.emailVerified ? 'verified' : 'not verified'})` },
  { label: 'Name', value: user.name },
  { label: 'Image', value: user.image ?? '-' },
  { label: 'Member since', value: fullTime(user.createdAt) },
  { label: 'Changed', value: fullTime(user.updatedAt) },
  { label: 'Id', value: user.id },
]
