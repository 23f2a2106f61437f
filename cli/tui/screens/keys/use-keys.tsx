import { Box } from 'ink'
import { type ReactNode, useCallback, useMemo } from 'react'
import type { MachineKey } from '../../../../shared/machine-key.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { adoptKey } from '../../../flows/key/adopt.ts'
import { createKey } from '../../../flows/key/create.ts'
import { createOwnKey } from '../../../flows/key/create-own.ts'
import { keyStatus, type NamedKey, secretEnd } from '../../../flows/key/keys.ts'
import { keyList } from '../../../flows/key/list.ts'
import { revokeKey } from '../../../flows/key/revoke.ts'
import { rotateKey } from '../../../flows/key/rotate.ts'
import { type OrganizationView, whyNotSeeKeys } from '../../../flows/org/view.ts'
import { roleText } from '../../../output/role-text.ts'
import { relativeTime } from '../../../output/time.ts'
import type { TableRow } from '../../components/table.tsx'
import type { Detail } from '../../details/detail.ts'
import { keyDetail, keyTones } from '../../details/key.ts'
import { type ActionControl, useAction } from '../../hooks/use-action.ts'
import type { Intents } from '../../hooks/use-bindings.ts'
import { type FormControl, useForm } from '../../hooks/use-form.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import type { Column } from '../../state/columns.ts'
import type { LoadState } from '../../state/load-state.ts'
import type { ActionMenu, Choice, DisabledReasons } from '../../state/overlays.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { LoadNote } from '../load-note.tsx'
import type { PageList } from '../page.tsx'

const none: readonly MachineKey[] = []

/** Those of an organization; else those of the signed-in person. */
export type LoadedKeys = LoadState<readonly MachineKey[]>

interface KeysPlan {
  readonly keys: LoadedKeys
  /** The organization that they are of. */
  readonly view?: OrganizationView | undefined
  /** Lines above the list. */
  readonly taken?: number
  readonly isActive: boolean
  /** Further lines of the menu of actions. */
  readonly more?: readonly Choice[]
}

interface Keys {
  readonly body: ReactNode
  readonly actions: ActionMenu
  readonly intents: Intents
  readonly disabledReasons: DisabledReasons
  readonly list: PageList
  readonly detail: Detail | undefined
}

/** Keys of machines, those whose time runs out told from the others, and all that is done with them. */
export function useKeys({ keys, view, taken = 0, isActive, more = [] }: KeysPlan): Keys {
  const shell = useShell()
  const { data = none, isLoading, shownError } = keys
  const height = shell.height - listOverhead - taken
  const isOfOrganization = view !== undefined
  const columns = useMemo(() => columnsOf(isOfOrganization), [isOfOrganization])
  const list = useList({ items: data, idOf, textOf, height, columns })
  const acts = useActs(view, list)
  const empty = (view && whyNotSeeKeys(view)) ?? 'No keys. c creates one.'
  const body =
    data.length > 0 ? (
      <ListView view={list} rowOf={rowOf} height={height} isActive={isActive} hasMarks empty={empty} />
    ) : (
      <LoadNote isLoading={isLoading} shownError={shownError} empty={empty} />
    )
  return {
    body: <Box flexDirection="column">{body}</Box>,
    list,
    detail: list.selected && keyDetail(list.selected),
    disabledReasons: {
      create: acts.creating.disabledReason,
      edit: acts.rotating.disabledReason,
      remove: acts.revoking.disabledReason,
    },
    actions: actionsOf(view, list, { acts, more }),
    intents: useKeyIntents(view, list, acts),
  }
}

export function useLoadedKeys(view?: OrganizationView): LoadedKeys {
  const organizationId = view?.organization.id
  const isForbidden = view !== undefined && whyNotSeeKeys(view) !== undefined
  const load = useCallback(
    async ({ api }: TuiConnection): Promise<readonly MachineKey[]> =>
      isForbidden ? none : api.key.listKeys(organizationId === undefined ? {} : { organizationId }),
    [organizationId, isForbidden],
  )
  return useLoad(load)
}

interface Acts {
  readonly creating: FormControl
  readonly rotating: FormControl
  readonly adopting: ActionControl<NamedKey>
  readonly revoking: ActionControl<NamedKey>
}

function useActs(view: OrganizationView | undefined, { selected, chosen, unmark }: ListControl<MachineKey>): Acts {
  const org = view?.organization.slug
  const creating = useForm(() =>
    view
      ? formOf(createKey, { subjects: [{ organizationId: view.organization.id, org }], view })
      : formOf(createOwnKey, { subjects: [undefined] }),
  )
  const rotating = useForm(() => formOf(rotateKey, { subjects: selected ? [{ key: selected, org }] : [], view }))
  const revoking = useAction(revokeKey, {
    view,
    chosen: namedIn(view, chosen),
    onDone: unmark,
  })
  const adopting = useAction(adoptKey, { view, chosen: namedIn(view, chosen), onDone: unmark })
  return { creating, rotating, adopting, revoking }
}

function actionsOf(
  view: OrganizationView | undefined,
  { selected, chosen }: ListControl<MachineKey>,
  { acts: { creating, rotating, adopting, revoking }, more }: { readonly acts: Acts; readonly more: readonly Choice[] },
): ActionMenu {
  const subjects = namedIn(view, chosen)
  const withSelected = [
    withKey('own-keys', 'edit', rotating.choice),
    ...(view ? [adopting.choice(subjects, chosen.map(textOf))] : []),
    withKey('own-keys', 'remove', revoking.choice(subjects, chosen.map(textOf))),
  ]
  return {
    title: selected ? textOf(selected) : 'No key selected',
    choices: [...(selected ? withSelected : []), withKey('own-keys', 'create', creating.choice), ...more],
  }
}

const namedIn = (view: OrganizationView | undefined, keys: readonly MachineKey[]): readonly NamedKey[] =>
  keys.map((key) => ({ key, org: view?.organization.slug }))

function useKeyIntents(
  view: OrganizationView | undefined,
  { selected, chosen }: ListControl<MachineKey>,
  { creating, rotating, revoking }: Acts,
): Intents {
  const shell = useShell()
  const organizationId = view?.organization.id
  const command = view
    ? commandWith(keyList, [], { flags: ['--org', view.organization.slug] })
    : commandWith(keyList, [], { given: { mine: true } })
  return {
    create: creating.open,
    edit: () => (selected ? rotating.open() : shell.say('No key is selected')),
    remove: () => revoking.ask(namedIn(view, chosen), chosen.map(textOf)),
    open: () => {
      if (!selected) return
      const place = organizationId === undefined ? {} : { organizationId }
      shell.open({ screen: 'key', subject: selected.id, title: selected.name, ...place })
    },
    'copy-id': () => selected && shell.copy(selected.id, 'the key id'),
    'copy-command': () => shell.copy(command, 'the command'),
  }
}

const columnsOf = (isOfOrganization: boolean): readonly Column<MachineKey>[] => [
  { title: 'Key', value: ({ name }) => name },
  { title: 'Secret', value: secretEnd },
  { title: isOfOrganization ? 'Roles' : 'May', value: mayOf },
  { title: 'Expires', value: ({ expiresAt }) => expiresAt },
  { title: 'Used', value: ({ lastUsedAt }) => lastUsedAt ?? 0 },
  { title: 'From', value: ({ lastUsedIp }) => lastUsedIp ?? '' },
  { title: '', value: (key) => keyStatus(key, Date.now()) },
]
const mayOf = ({ role, scopes }: MachineKey): string =>
  role ? roleText(role) : (scopes?.join(' ') ?? 'all that keys may')
const idOf = ({ id }: MachineKey): string => id
const textOf = (key: MachineKey): string => `${key.name}  ${secretEnd(key)}`

function rowOf(key: MachineKey): TableRow {
  const now = Date.now()
  const { id, name, expiresAt, lastUsedAt, lastUsedIp } = key
  const status = keyStatus(key, now)
  const used = lastUsedAt ? relativeTime(lastUsedAt, now) : 'never'
  return {
    id,
    cells: [
      name,
      secretEnd(key),
      mayOf(key),
      relativeTime(expiresAt, now),
      used,
      lastUsedIp ?? '-',
      status === 'active' ? '' : status,
    ],
    tone: keyTones[status],
  }
}
