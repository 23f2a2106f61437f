import { Box } from 'ink'
import { nameOfProvider, providerIds } from '../../../shared/providers.ts'
import { commandWith } from '../../flows/command-line.ts'
import { isPassword, type LinkedAccount, labelOf, nameOf } from '../../flows/link/accounts.ts'
import { linkList } from '../../flows/link/list.ts'
import { refreshLink } from '../../flows/link/refresh.ts'
import { removeLink } from '../../flows/link/remove.ts'
import { relativeTime } from '../../output/time.ts'
import type { TableRow } from '../components/table.tsx'
import { linkForm } from '../forms/forms.ts'
import { pick } from '../hooks/pick.ts'
import { useAction } from '../hooks/use-action.ts'
import { useForm } from '../hooks/use-form.ts'
import { useList } from '../hooks/use-list.ts'
import { useLoad } from '../hooks/use-load.ts'
import { useShell } from '../hooks/use-shell.ts'
import { withKey } from '../keys/key-text.ts'
import type { TuiConnection } from '../ports.ts'
import type { Column } from '../state/columns.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { Page, type ScreenProps } from './page.tsx'

const load = ({ api }: TuiConnection) => api.social.listAccounts()
const adding = () => linkForm()
/** Any other provider that speaks OpenID has a name of its own. */
const known = [
  { id: '', label: 'Another, by its name' },
  ...providerIds.map((id) => ({ id, label: nameOfProvider(id) })),
]
const none: readonly LinkedAccount[] = []

/** The ways in which a person signs in. */
export function LinksScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const { data = none, isLoading, shownError } = useLoad(load)
  const height = shell.height - listOverhead
  const list = useList({ items: data, idOf, textOf, height, columns })
  const { selected } = list
  const chosen = selected ? [selected] : []
  const linking = useForm(adding)
  const title = linking.choice.label
  const choose = () =>
    shell.show({
      kind: 'picker',
      title,
      isSearchable: true,
      choices: known.map((one) => ({
        ...one,
        run: () => shell.open({ screen: 'form', form: () => linkForm({ provider: one.id }), title }),
      })),
    })
  const link = { ...linking.choice, run: choose }
  const removing = useAction(removeLink, { view: data, chosen })
  const refreshing = useAction(refreshLink, { chosen })
  const names = chosen.map(labelOf)
  const actions = {
    title: selected ? nameOf(selected) : 'Linked accounts',
    choices: [
      withKey('links', 'create', link),
      ...(selected
        ? [refreshing.choice(chosen, names), withKey('links', 'remove', removing.choice(chosen, names))]
        : []),
    ],
  }
  return (
    <Page
      screen="links"
      isActive={isActive}
      isLoading={data === none && isLoading}
      list={list}
      disabledReasons={{ create: linking.disabledReason, remove: removing.disabledReason }}
      actions={actions}
      intents={{
        create: () => pick(shell, link),
        remove: () => removing.ask(chosen, names),
        open: () => shell.show({ kind: 'picker', ...actions }),
        'copy-id': () => selected && shell.copy(selected.accountId, 'the id at the provider'),
        'copy-command': () => shell.copy(commandWith(linkList), 'the command'),
      }}
    >
      <Box flexDirection="column">
        {data.length > 0 ? (
          <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} empty="No linked accounts" />
        ) : (
          <LoadNote isLoading={isLoading} shownError={shownError} empty="No linked accounts" />
        )}
      </Box>
    </Page>
  )
}

const columns: readonly Column<LinkedAccount>[] = [
  { title: 'Provider', value: nameOf },
  { title: 'Account', value: ({ accountId }) => accountId },
  { title: 'Since', value: ({ createdAt }) => createdAt },
  { title: 'Scopes', value: ({ scopes }) => scopes.join(' ') },
]
const idOf = ({ id }: LinkedAccount): string => id
const textOf = (account: LinkedAccount): string => `${nameOf(account)} ${account.accountId}`

function rowOf(account: LinkedAccount): TableRow {
  const { id, accountId, createdAt, scopes } = account
  const shown = isPassword(account) ? '-' : accountId
  return { id, cells: [nameOf(account), shown, relativeTime(createdAt, Date.now()) ?? '', scopes.join(' ')] }
}
