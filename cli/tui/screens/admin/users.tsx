import { Box } from 'ink'
import { useCallback, useState } from 'react'
import type { FullUser } from '../../../../shared/entities.ts'
import { createUser } from '../../../flows/admin/create.ts'
import { userList } from '../../../flows/admin/list.ts'
import { rotateKeys } from '../../../flows/admin/rotate-keys.ts'
import { searchUsers } from '../../../flows/admin/search.ts'
import { userView } from '../../../flows/admin/view.ts'
import { auditList } from '../../../flows/audit/list.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import { Line } from '../../components/words.tsx'
import { userDetail } from '../../details/user.ts'
import { formFor } from '../../forms/forms.ts'
import { useAppState } from '../../hooks/use-app-state.ts'
import { useDebounced } from '../../hooks/use-debounced.ts'
import { useForm } from '../../hooks/use-form.ts'
import { useList } from '../../hooks/use-list.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { useUserActs } from '../../hooks/use-user-acts.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import { type Column, readFilter } from '../../state/columns.ts'
import type { ListState } from '../../state/list-state.ts'
import type { Choice } from '../../state/overlays.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'

const none: readonly FullUser[] = []
const [createForm, rotateForm] = [formFor(createUser, undefined), formFor(rotateKeys, undefined)]

/** The users of the service: the newest, or those that a search at the service finds. */
export function UsersScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const { isAdmin } = useAppState()
  const [search, setSearch] = useState('')
  const wanted = useDebounced(search)
  const load = useCallback((connection: TuiConnection) => searchUsers(connection, wanted), [wanted])
  const { data, isLoading, shownError } = useLoad(load)
  const users = usersIn(data)
  const height = shell.height - listOverhead - 1
  const list = useList({ items: users, idOf, textOf, height, columns })
  const { phrase } = readFilter(list.state.filter, columns)
  if (phrase !== search) setSearch(phrase)
  const { selected } = list
  const { actions, intents, disabledReasons } = useUserKeys(selected)
  return (
    <Page
      screen="admin"
      isActive={isActive}
      isLoading={!data && isLoading}
      detail={detailOf(selected)}
      list={list}
      disabledReasons={disabledReasons}
      actions={actions}
      intents={intents}
    >
      <Box flexDirection="column">
        <Line spans={[{ text: noteOf(wanted, data?.total, users.length), tone: 'muted' }]} />
        {users.length > 0 || isSearching(list.state) ? (
          <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} empty="No users" />
        ) : (
          <LoadNote
            isLoading={isLoading}
            shownError={shownError}
            empty={isAdmin ? 'No users' : 'This is for administrators.'}
          />
        )}
      </Box>
    </Page>
  )
}

/** What is done with the selected user, and at this place whoever is selected. */
function useUserKeys(selected: FullUser | undefined) {
  const shell = useShell()
  const [creating, rotating] = [useForm(() => createForm()), useForm(() => rotateForm())]
  const { looks, acts } = useUserActs(selected)
  const open = () => selected && shell.open({ screen: 'user', subject: selected.id, title: selected.email })
  // By way of their screen: its name says whose they are, and the way back leads over it.
  const throughUser = ({ run, ...look }: Choice): Choice => ({
    ...look,
    run: () => {
      open()
      run()
    },
  })
  const trail = () =>
    shell.open({ screen: 'trail', title: 'Audit trail', trail: { ask: askWhole, command: commandWith(auditList) } })
  const actions = {
    title: selected?.email ?? 'Administration',
    choices: [
      ...looks.map(throughUser),
      ...acts,
      withKey('admin', 'trail', {
        id: 'whole-trail',
        label: 'Audit trail of the service',
        hint: commandWith(auditList),
        run: trail,
      }),
      withKey('admin', 'create', creating.choice),
      rotating.choice,
    ],
  }
  return {
    disabledReasons: { create: creating.disabledReason },
    actions,
    intents: {
      open,
      create: creating.open,
      trail,
      'copy-id': () => selected && shell.copy(selected.id, 'the user id'),
      'copy-command': () => shell.copy(commandOf(selected), 'the command'),
    },
  }
}

const usersIn = (found: { readonly users: readonly FullUser[] } | undefined): readonly FullUser[] =>
  found?.users ?? none

const askWhole = ({ api }: Pick<TuiConnection, 'api'>) => api.audit.listAuditEvents

const noteOf = (search: string, total: number | undefined, shown: number): string => {
  if (total === undefined) return 't: audit trail'
  const count = shown < total ? `${shown} of ${total}` : String(total)
  return `${count} ${total === 1 ? 'user' : 'users'}${search ? ` with “${search}”` : ', newest first'}   t: audit trail`
}

const detailOf = (user: FullUser | undefined) => user && userDetail(user)

const commandOf = (user: FullUser | undefined): string =>
  user ? commandWith(userView, [], { given: { user: user.email } }) : commandWith(userList)

const isSearching = ({ isTyping, filter }: ListState): boolean => isTyping || filter !== ''

const columns: readonly Column<FullUser>[] = [
  { title: 'E-mail', value: ({ email }) => email },
  { title: 'Name', value: ({ name }) => name },
  { title: 'Roles', value: ({ role }) => roleText(role ?? []) },
  { title: 'Since', value: ({ createdAt }) => createdAt },
  { title: '', value: ({ banned }) => (banned ? 'banned' : '') },
]
const idOf = ({ id }: FullUser): string => id
const textOf = ({ email, name }: FullUser): string => `${email} ${name}`

const rowOf = ({ id, email, name, role, createdAt, banned }: FullUser): TableRow => ({
  id,
  cells: [email, name, roleText(role ?? []), relativeTime(createdAt, Date.now()), banned ? 'banned' : ''],
  tone: banned ? 'danger' : 'plain',
})
