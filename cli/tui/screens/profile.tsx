import type { FullUser } from '../../../shared/entities.ts'
import { refusalOf, sendVerification } from '../acts.ts'
import { commandLine } from '../commands.ts'
import { forms, ownForms } from '../forms.ts'
import { useAct } from '../hooks/use-act.ts'
import { useDesk } from '../hooks/use-desk.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import type { FormName } from '../keys.ts'
import { timeOf } from '../session-text.ts'
import { LoadNote } from './load-note.tsx'
import { type Entry, MenuView, useMenu } from './menu-view.tsx'
import { offerNext } from './next-step.ts'
import { Page, type ScreenProps } from './page.tsx'
import { SignedOut } from './signed-out.tsx'

/** The signed-in person, and what they can do with their account. */
export function Profile({ isActive }: ScreenProps) {
  const shell = useShell()
  const { me, fault, connection } = useDesk()
  const verification = { form: 'verify-email', values: connection ? { server: connection.server } : {} } as const
  const mailing = useAct(sendVerification, () => offerNext(shell, 'A mail with a link is on its way', verification))
  const byForm = (form: FormName) => formEntry(shell, form)
  const [edit, changeEmail, ...others] = ownForms.map(byForm)
  const mail = { hint: '', ...mailing.choice(me ? [me.user] : [], []) }
  const entries = me && edit && changeEmail ? [edit, changeEmail, mail, ...others] : []
  const menu = useMenu(entries, me ? factsOf(me.user) : [])
  if (me === null) return <SignedOut screen="profile" isActive={isActive} />
  const refusal = refusalOf({ isWrite: true }, shell.isReadOnly)
  const go = (label: string, form: FormName) => () =>
    refusal ? shell.refuse(label, refusal) : shell.open({ screen: form })
  return (
    <Page
      screen="profile"
      isActive={isActive}
      refusals={{ edit: refusal, remove: refusal }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: go('Edit', 'edit-profile'),
        remove: go('Delete account', 'delete-account'),
        actions: () => shell.show({ kind: 'picker', title: me?.user.name ?? '', choices: entries }),
        'copy-id': () => me && shell.copy(me.user.id, 'the user id'),
        'copy-command': () => shell.copy(commandLine('postern', 'account', 'view'), 'the command'),
      }}
    >
      <MenuView menu={menu} note={<LoadNote isLoading={!fault} fault={fault} empty="" />} />
    </Page>
  )
}

function formEntry({ isReadOnly, open }: Shell, form: FormName): Entry {
  const { title, command } = forms[form]
  const refusal = refusalOf({ isWrite: true }, isReadOnly)
  return { id: form, label: title, hint: command({}), refusal, run: () => open({ screen: form }) }
}

const factsOf = (user: FullUser) => [
  { label: 'E-mail', value: `${user.email}  (${user.emailVerified ? 'verified' : 'not verified'})` },
  { label: 'Name', value: user.name },
  { label: 'Image', value: user.image ?? '-' },
  { label: 'Member since', value: timeOf(user.createdAt) },
  { label: 'Changed', value: timeOf(user.updatedAt) },
  { label: 'Id', value: user.id },
]
