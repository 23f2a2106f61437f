import type { FullUser } from '../../../shared/entities.ts'
import { refusalOf } from '../acts.ts'
import { commandLine } from '../commands.ts'
import { Facts } from '../components/facts.tsx'
import { useDesk } from '../hooks/use-desk.ts'
import { useShell } from '../hooks/use-shell.ts'
import { timeOf } from '../session-text.ts'
import { LoadNote } from './load-note.tsx'
import { Page, type ScreenProps } from './page.tsx'
import { SignedOut } from './signed-out.tsx'

/** The signed-in person. */
export function Profile({ isActive }: ScreenProps) {
  const shell = useShell()
  const { me, fault } = useDesk()
  const refusal = refusalOf({ isWrite: true }, shell.isReadOnly)
  const edit = () => (refusal ? shell.refuse('Edit', refusal) : shell.open({ screen: 'edit-profile' }))
  if (me === null) return <SignedOut screen="profile" isActive={isActive} />
  const hint = commandLine('postern', 'account', 'edit', '--name', 'NAME', '--image', 'URL')
  const choices = [{ id: 'edit', label: 'Edit name and image', hint, refusal, run: edit }]
  return (
    <Page
      screen="profile"
      isActive={isActive}
      refusals={{ edit: refusal }}
      intents={{
        edit,
        actions: () => shell.show({ kind: 'picker', title: me?.user.name ?? '', choices }),
        'copy-id': () => me && shell.copy(me.user.id, 'the user id'),
        'copy-command': () => shell.copy(commandLine('postern', 'account', 'view'), 'the command'),
      }}
    >
      {me ? <Facts facts={factsOf(me.user)} /> : <LoadNote isLoading={!fault} fault={fault} empty="" />}
    </Page>
  )
}

const factsOf = (user: FullUser) => [
  { label: 'Name', value: user.name },
  { label: 'Image', value: user.image ?? '-' },
  { label: 'E-mail', value: user.email },
  { label: 'Verified', value: user.emailVerified ? 'yes' : 'no' },
  { label: 'Member since', value: timeOf(user.createdAt) },
  { label: 'Changed', value: timeOf(user.updatedAt) },
  { label: 'Id', value: user.id },
]
