import { useCallback } from 'react'
import type { FullUser } from '../../../../shared/entities.ts'
import { banUser } from '../../../flows/admin/ban.ts'
import { deleteUser } from '../../../flows/admin/delete.ts'
import { impersonateUser } from '../../../flows/admin/impersonate.ts'
import { userSessionList } from '../../../flows/admin/sessions.ts'
import { setUserPassword } from '../../../flows/admin/set-password.ts'
import { setUserRoles } from '../../../flows/admin/set-roles.ts'
import { unbanUser } from '../../../flows/admin/unban.ts'
import { findUser } from '../../../flows/admin/users.ts'
import { userView } from '../../../flows/admin/view.ts'
import { auditList } from '../../../flows/audit/list.ts'
import { commandWith } from '../../../flows/command-line.ts'
import type { Done } from '../../../flows/flow.ts'
import { formOf } from '../../../flows/form.ts'
import { userDetail } from '../../details/user.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useAppState } from '../../hooks/use-app-state.ts'
import { useForm } from '../../hooks/use-form.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import type { Choice } from '../../state/overlays.ts'
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
  const { choices, role, removing } = useChoices(user)
  const menu = useMenu(
    choices.map((choice) => ({ hint: '', ...choice })),
    userDetail(user).facts,
  )
  return (
    <Page
      screen="user"
      isActive={isActive}
      disabledReasons={{ role: role.disabledReason, remove: removing.disabledReason }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        role: role.open,
        remove: () => removing.ask([user], [user.email]),
        actions: () => shell.show({ kind: 'picker', title: user.email, choices }),
        'copy-id': () => shell.copy(user.id, 'the user id'),
        'copy-command': () => shell.copy(commandWith(userView, [], { given: { user: user.email } }), 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}

function useChoices(user: FullUser) {
  const shell = useShell()
  const view = { me: useAppState().me?.user }
  const about = { subjects: [user], view }
  const homeAfter = ({ leadsHome }: Done) => leadsHome && shell.go('home')
  const ban = useForm(() => formOf(banUser, about))
  const role = useForm(() => formOf(setUserRoles, about))
  const password = useForm(() => formOf(setUserPassword, about))
  const unbanning = useAction(unbanUser, { view, chosen: [user] })
  const impersonating = useAction(impersonateUser, { view, chosen: [user], onDone: homeAfter })
  const removing = useAction(deleteUser, { view, chosen: [user], onDone: shell.back })
  const acts = [
    user.banned ? unbanning.choice([user], [user.email]) : ban.choice,
    withKey('user', 'role', role.choice),
    password.choice,
    impersonating.choice([user], [user.email]),
    withKey('user', 'remove', removing.choice([user], [user.email])),
  ]
  return { choices: [...useLooks(user), ...acts], role, removing }
}

function useLooks({ id, email }: FullUser): readonly Choice[] {
  const { open } = useShell()
  const sessions = commandWith(userSessionList, [], { given: { user: email } })
  const command = commandWith(auditList, [], { given: { user: email } })
  const ask =
    ({ api }: Pick<TuiConnection, 'api'>) =>
    (query: object) =>
      api.audit.listAuditEvents({ ...query, userId: id })
  return [
    {
      id: 'sessions',
      label: 'Sessions',
      hint: sessions,
      run: () => open({ screen: 'user-sessions', subject: id, title: 'Sessions' }),
    },
    {
      id: 'trail',
      label: 'Audit trail',
      hint: command,
      run: () => open({ screen: 'trail', subject: id, title: 'Audit trail', trail: { ask, command } }),
    },
  ]
}
