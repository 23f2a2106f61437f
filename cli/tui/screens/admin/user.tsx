import { useCallback } from 'react'
import type { FullUser } from '../../../../shared/entities.ts'
import { findUser } from '../../../flows/admin/users.ts'
import { userView } from '../../../flows/admin/view.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { userDetail } from '../../details/user.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { useUserActs } from '../../hooks/use-user-acts.ts'
import type { TuiConnection } from '../../ports.ts'
import { LoadNote } from '../load-note.tsx'
import { MenuView, useMenu } from '../menu-view.tsx'
import { Page, type ScreenProps } from '../page.tsx'

/** One user of the service, and what an administrator can do with them. */
export function UserScreen({ isActive, subject }: ScreenProps & { readonly subject: string }) {
  const load = useCallback((connection: TuiConnection) => findUser(connection, subject), [subject])
  const { data, isLoading, shownError } = useLoad(load)
  if (data) return <User user={data} isActive={isActive} />
  return (
    <Page screen="user" isActive={isActive} intents={{}}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="This user is gone" />
    </Page>
  )
}

function User({ user, isActive }: ScreenProps & { readonly user: FullUser }) {
  const shell = useShell()
  const { looks, acts, role, removing } = useUserActs(user, shell.back)
  const choices = [...looks, ...acts]
  const menu = useMenu(
    choices.map((choice) => ({ hint: '', ...choice })),
    userDetail(user).facts,
  )
  return (
    <Page
      screen="user"
      isActive={isActive}
      disabledReasons={{ role: role.disabledReason, remove: removing.disabledReason }}
      actions={{ title: user.email, choices }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        role: role.open,
        remove: () => removing.ask([user], [user.email]),
        'copy-id': () => shell.copy(user.id, 'the user id'),
        'copy-command': () => shell.copy(commandWith(userView, [], { given: { user: user.email } }), 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}
