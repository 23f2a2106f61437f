import { Box } from 'ink'
import { useCallback } from 'react'
import type { TrustRule } from '../../../../shared/machine-key.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { authorityText, sponsorText } from '../../../flows/key/sponsor.ts'
import { loadOrganization, type OrganizationView } from '../../../flows/org/view.ts'
import { adoptTrust } from '../../../flows/trust/adopt.ts'
import { createTrust } from '../../../flows/trust/create.ts'
import { deleteTrust } from '../../../flows/trust/delete.ts'
import { trustList } from '../../../flows/trust/list.ts'
import { claimWords, rotatesText } from '../../../flows/trust/trusts.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import { sponsorTone } from '../../details/key.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useAppState } from '../../hooks/use-app-state.ts'
import { useForm } from '../../hooks/use-form.ts'
import { useList } from '../../hooks/use-list.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import type { Column } from '../../state/columns.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'

interface Read {
  readonly view: OrganizationView
  readonly trusts: readonly TrustRule[]
}

/** Whose CI jobs sign in to an organization. */
export function TrustsScreen({ isActive, organizationId }: ScreenProps & { readonly organizationId: string }) {
  const userId = useAppState().me?.user.id
  const load = useCallback(
    async (connection: TuiConnection): Promise<Read> => {
      const [view, trusts] = await Promise.all([
        loadOrganization(connection, organizationId, userId),
        connection.api.trust.listTrusts({ organizationId }),
      ])
      return { view, trusts }
    },
    [organizationId, userId],
  )
  const { data, isLoading, shownError } = useLoad(load)
  if (data) return <Trusts {...data} isActive={isActive} />
  return (
    <Page screen="trusts" isActive={isActive} isLoading={isLoading} intents={{}}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="" />
    </Page>
  )
}

function Trusts({ isActive, view, trusts }: ScreenProps & Read) {
  const shell = useShell()
  const { id: organizationId, slug: org } = view.organization
  const height = shell.height - listOverhead
  const list = useList({ items: trusts, idOf, textOf, height, columns })
  const { selected } = list
  const subjects = selected ? [{ trust: selected, org }] : []
  const details = selected
    ? [
        selected.issuer,
        `for ${selected.audience}`,
        ...claimWords(selected),
        `responsible: ${sponsorText(selected) ?? ''}`,
        `may rotate: ${rotatesText(selected)}`,
      ]
    : []
  const creating = useForm(() => formOf(createTrust, { subjects: [{ organizationId, org }], view }))
  const adopting = useAction(adoptTrust, { view, chosen: subjects })
  const deleting = useAction(deleteTrust, { view, chosen: subjects })
  const remove = () => deleting.ask(subjects, details)
  const actions = {
    title: selected?.name ?? 'No rule selected',
    choices: [
      ...(selected
        ? [adopting.choice(subjects, details), withKey('trusts', 'remove', deleting.choice(subjects, details))]
        : []),
      withKey('trusts', 'create', creating.choice),
    ],
  }
  return (
    <Page
      screen="trusts"
      isActive={isActive}
      list={list}
      disabledReasons={{ create: creating.disabledReason, remove: deleting.disabledReason }}
      actions={actions}
      intents={{
        create: creating.open,
        remove,
        open: () => shell.show({ kind: 'picker', ...actions }),
        'copy-id': () => selected && shell.copy(selected.id, 'the id of the rule'),
        'copy-command': () => shell.copy(commandWith(trustList, [], { flags: ['--org', org] }), 'the command'),
      }}
    >
      <Box flexDirection="column">
        <ListView
          view={list}
          rowOf={rowOf}
          height={height}
          isActive={isActive}
          empty="No CI job signs in without a key yet. c trusts a provider."
        />
      </Box>
    </Page>
  )
}

const columns: readonly Column<TrustRule>[] = [
  { title: 'Rule', value: ({ name }) => name },
  { title: 'Claims', value: (trust) => claimWords(trust).join(' ') },
  { title: 'Roles', value: ({ role }) => roleText(role) },
  { title: 'Used', value: ({ lastUsedAt }) => lastUsedAt ?? 0 },
  { title: 'Issuer', value: ({ issuer }) => issuer },
  { title: '', value: authorityText },
]
const idOf = ({ id }: TrustRule): string => id
const textOf = (trust: TrustRule): string => `${trust.name} ${trust.issuer} ${claimWords(trust).join(' ')}`

function rowOf(trust: TrustRule): TableRow {
  const { id, name, role, issuer, lastUsedAt } = trust
  const used = lastUsedAt ? relativeTime(lastUsedAt, Date.now()) : 'never'
  return {
    id,
    cells: [name, claimWords(trust).join(' '), roleText(role), used, issuer, authorityText(trust)],
    tone: sponsorTone(trust),
  }
}
