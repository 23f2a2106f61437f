import type { SessionView } from '../../../shared/entities.ts'
import { accountView, addressState } from '../../flows/account/me.ts'
import { commandWith } from '../../flows/command-line.ts'
import { fullTime } from '../../output/time.ts'
import { deletionForm, profileForm } from '../forms/forms.ts'
import { useForm } from '../hooks/use-action.ts'
import { useAccountActs } from '../hooks/use-own-acts.ts'
import { useAppState, useShell } from '../hooks/use-shell.ts'
import { LoadNote } from './load-note.tsx'
import { MenuView, useMenu } from './menu-view.tsx'
import { Page, type ScreenProps } from './page.tsx'

/** The signed-in person, and what they can do with their account. */
export function ProfileScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { me, shownError } = state
  const [editing, deleting] = [useForm(profileForm), useForm(deletionForm)]
  const choices = useAccountActs()()
  const entries = choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, me ? factsOf(me) : [])
  return (
    <Page
      screen="profile"
      isActive={isActive}
      isLoading={!me && !shownError}
      disabledReasons={{ edit: editing.disabledReason, remove: deleting.disabledReason }}
      actions={{ title: me?.user.name ?? '', choices }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: editing.open,
        remove: deleting.open,
        'copy-id': () => me && shell.copy(me.user.id, 'the user id'),
        'copy-command': () => shell.copy(commandWith(accountView), 'the command'),
      }}
    >
      <MenuView menu={menu} note={<LoadNote isLoading={!shownError} shownError={shownError} empty="" />} />
    </Page>
  )
}

const factsOf = ({ user, session }: SessionView) => [
  { label: 'E-mail', value: `${user.email}  (${addressState({ user, session })})` },
  { label: 'Name', value: user.name },
  { label: 'Image', value: user.image ?? '-' },
  { label: 'Member since', value: fullTime(user.createdAt) },
  { label: 'Changed', value: fullTime(user.updatedAt) },
  { label: 'ID', value: user.id },
]
