import type { FullUser } from '../../../shared/entities.ts'
import { banUser } from '../../flows/admin/ban.ts'
import { deleteUser } from '../../flows/admin/delete.ts'
import { impersonateUser } from '../../flows/admin/impersonate.ts'
import { userSessionList } from '../../flows/admin/sessions.ts'
import { setUserPassword } from '../../flows/admin/set-password.ts'
import { setUserRoles } from '../../flows/admin/set-roles.ts'
import { unbanUser } from '../../flows/admin/unban.ts'
import { auditList } from '../../flows/audit/list.ts'
import { commandWith } from '../../flows/command-line.ts'
import type { Done } from '../../flows/flow.ts'
import { formOf } from '../../flows/form.ts'
import { withKey } from '../keys/key-text.ts'
import type { TuiConnection } from '../ports.ts'
import type { Choice } from '../state/overlays.ts'
import { type ActionControl, useAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import { type FormControl, useForm } from './use-form.ts'
import { type Shell, useShell } from './use-shell.ts'

interface UserActs {
  /** Places that are about them. */
  readonly looks: readonly Choice[]
  readonly acts: readonly Choice[]
  readonly role: FormControl
  readonly removing: ActionControl<FullUser>
}

/** What an administrator does with a user, from their list and from one's own screen alike. */
export function useUserActs(user: FullUser | undefined, onRemoved = () => {}): UserActs {
  const shell = useShell()
  const view = { me: useAppState().me?.user }
  const chosen = user ? [user] : []
  const details = chosen.map(({ email }) => email)
  const about = { subjects: chosen, view }
  const homeAfter = ({ leadsHome }: Done) => leadsHome && shell.go('home')
  const ban = useForm(() => formOf(banUser, about))
  const role = useForm(() => formOf(setUserRoles, about))
  const password = useForm(() => formOf(setUserPassword, about))
  const unbanning = useAction(unbanUser, { view, chosen })
  const impersonating = useAction(impersonateUser, { view, chosen, onDone: homeAfter })
  const removing = useAction(deleteUser, { view, chosen, onDone: onRemoved })
  const acts = [
    user?.banned ? unbanning.choice(chosen, details) : ban.choice,
    withKey('user', 'role', role.choice),
    password.choice,
    impersonating.choice(chosen, details),
    withKey('user', 'remove', removing.choice(chosen, details)),
  ]
  return { looks: user ? looksAt(user, shell) : [], acts: user ? acts : [], role, removing }
}

function looksAt({ id, email }: FullUser, { open }: Shell): readonly Choice[] {
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
