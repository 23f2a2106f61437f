import { Box } from 'ink'
import type { Organization } from '../../../shared/organization.ts'
import { commandWith } from '../../flows/command-line.ts'
import { createOrganization } from '../../flows/org/create.ts'
import { organizationSheet } from '../../flows/org/sheet.ts'
import { switchOrganization } from '../../flows/org/use.ts'
import { relativeTime } from '../../output/time.ts'
import type { TableRow } from '../components/table.tsx'
import { organizationDetail } from '../details/organization.ts'
import { formFor } from '../forms/forms.ts'
import { useAction } from '../hooks/use-action.ts'
import { useAppState } from '../hooks/use-app-state.ts'
import { useForm } from '../hooks/use-form.ts'
import { useList } from '../hooks/use-list.ts'
import { useShell } from '../hooks/use-shell.ts'
import { workInNone } from '../hooks/use-shell-intents.ts'
import { withKey } from '../keys/key-text.ts'
import { activeOrganization } from '../state/app-state.ts'
import type { Column } from '../state/columns.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { Page, type ScreenProps } from './page.tsx'

const none: readonly Organization[] = []
const createForm = formFor(createOrganization, undefined)

/** The organizations that I am a member of. */
export function OrganizationsScreen({ isActive }: ScreenProps) {
  const shell = useShell()
  const state = useAppState()
  const { shownError, organizations = none } = state
  const height = shell.height - listOverhead
  const list = useList({ items: organizations, idOf, textOf, height, columns })
  const using = useAction(switchOrganization)
  const creating = useForm(() => createForm())
  const { selected } = list
  const targets = selected ? [selected] : []
  const inNone = { ...using.choice([null], []), id: workInNone, label: workInNone }
  const create = withKey('orgs', 'create', creating.choice)
  const actions = {
    title: selected?.name ?? 'No organization selected',
    choices: selected ? [using.choice(targets, []), inNone, create] : [create],
  }
  const isLoading = state.organizations === undefined && !shownError
  const empty = 'You are in no organization yet. c creates one; an invitation shows up at home (1).'
  return (
    <Page
      screen="orgs"
      isActive={isActive}
      isLoading={isLoading}
      detail={selected && organizationDetail(selected)}
      list={list}
      disabledReasons={{ create: creating.disabledReason }}
      actions={actions}
      intents={{
        open: () => selected && shell.open({ screen: 'organization', subject: selected.id, title: selected.name }),
        create: creating.open,
        'copy-id': () => selected && shell.copy(selected.id, 'the id of the organization'),
        'copy-command': () =>
          selected && shell.copy(commandWith(organizationSheet, [], { given: { org: selected.slug } }), 'the command'),
      }}
    >
      <Box flexDirection="column">
        {organizations.length > 0 ? (
          <ListView
            view={list}
            rowOf={(organization) => rowOf(organization, organization === activeOrganization(state))}
            height={height}
            isActive={isActive}
            empty=""
          />
        ) : (
          <LoadNote isLoading={isLoading} shownError={organizations === none ? shownError : undefined} empty={empty} />
        )}
      </Box>
    </Page>
  )
}

const columns: readonly Column<Organization>[] = [
  { title: 'Name', value: ({ name }) => name },
  { title: 'Slug', value: ({ slug }) => slug },
  { title: 'Since', value: ({ createdAt }) => createdAt },
  { title: '', value: () => '' },
]
const idOf = ({ id }: Organization): string => id
const textOf = ({ name, slug }: Organization): string => `${name} ${slug}`

const rowOf = ({ id, name, slug, createdAt }: Organization, isCurrent: boolean): TableRow => ({
  id,
  cells: [name, slug, relativeTime(createdAt, Date.now()), isCurrent ? 'active' : ''],
  tone: isCurrent ? 'good' : 'plain',
})
