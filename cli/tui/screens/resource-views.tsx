import { Box } from 'ink'
import { type ReactNode, useCallback, useMemo } from 'react'
import {
  copiedOf,
  detailOf,
  emptyOf,
  type ListColumn,
  listColumns,
  type Resource,
  type ViewedItem,
} from '../../flows/resource.ts'
import { shortTime } from '../../output/time.ts'
import type { TableRow } from '../components/table.tsx'
import type { Intents } from '../hooks/use-bindings.ts'
import { useKeymap } from '../hooks/use-keymap.ts'
import { type ListControl, useList } from '../hooks/use-list.ts'
import { leftToService, type Pages, usePagesFilter } from '../hooks/use-pages.ts'
import { useResourceActions } from '../hooks/use-resource-actions.ts'
import { type Shell, useShell } from '../hooks/use-shell.ts'
import { useIsThere } from '../hooks/use-top-screen.ts'
import { withKey } from '../keymap/key-text.ts'
import { scopeHasGroup } from '../keymap/keymap.ts'
import type { KeyScope } from '../keymap/names.ts'
import type { Choice } from '../state/shell-state.ts'
import { ListView, listOverhead } from './list-view.tsx'
import { LoadNote } from './load-note.tsx'
import { MenuView, useMenu } from './menu-view.tsx'
import { type LoadResult, Page, type ScreenProps, showMenu, WaitingPage } from './page.tsx'
import { PagedNote, readingOn } from './paged-note.tsx'

interface ResourceListProps<T extends object, V> extends ScreenProps {
  readonly resource: Resource<T, V>
  readonly screen: KeyScope
  /** The data that holds the items, once loaded. */
  readonly loaded: LoadResult<V>
  /** Used when loading failed, so that actions without a list still work. */
  readonly unread?: V
  /** Shown when the parent resource no longer exists. */
  readonly gone?: string
  /** How far it was read, if the service gives it page by page. */
  readonly pages?: Pages
  /** Shown behind how much of it is loaded. */
  readonly note?: string | undefined
  /** New items come first all the time. */
  readonly isLive?: boolean
  /** A line above everything else. */
  readonly above?: ReactNode
  /** Intents of the surrounding screen. */
  readonly around?: Intents
  /** More choices of its menu. */
  readonly choices?: readonly Choice[]
}

const none: readonly never[] = []

/** A resource's items as a list, with the selected one beside it, and the actions as keys and menus. */
export function ResourceList<T extends object, V>(props: ResourceListProps<T, V>) {
  const { resource, screen, loaded, isActive, pages, note, around } = props
  const { data: view, isLoading } = loaded
  const above = props.above ?? (pages && <PagedNote noun={resource.noun} pages={pages} more={note} />)
  const { list, columns, height } = useResourceList({ ...props, above })
  const { intents, ...acts } = useResourceKeys(props, list)
  const { selected } = list
  return (
    <Page
      screen={screen}
      isActive={isActive}
      // Typing goes on: another letter may be what the service understands.
      isLoading={view === undefined && isLoading && !list.state.isTyping}
      list={list}
      above={above}
      detail={view !== undefined && selected ? detailOf(resource, selected, view) : undefined}
      intents={{ ...intents, ...around }}
      {...acts}
    >
      <Box flexDirection="column">
        <Body {...props} list={list} columns={columns} height={height} />
      </Box>
    </Page>
  )
}

function useResourceList<T extends object, V>({ resource, loaded, above, pages, isLive }: ResourceListProps<T, V>) {
  const { data: view } = loaded
  const { height: room } = useShell()
  const height = room - listOverhead - (above ? 1 : 0)
  const columns = useMemo(() => (view === undefined ? none : listColumns(resource, view)), [resource, view])
  const items = useMemo(() => (view === undefined ? none : resource.of(view)), [resource, view])
  const textOf = useCallback(
    (one: T) => (view === undefined ? '' : (resource.searched ?? resource.line)(one, view)),
    [resource, view],
  )
  const acts = withoutListActions(resource).acts.flatMap(({ key }) => (key ? [key[1]] : []))
  const list = useList({ items, idOf: resource.id, textOf, height, columns, acts, isLive, ...leftToService(pages) })
  usePagesFilter(list.state.filter, pages)
  return { list: readingOn(list, height, pages), columns, height }
}

interface BodyProps<T extends object, V> extends ResourceListProps<T, V> {
  readonly list: ListControl<T>
  readonly columns: readonly ListColumn<T>[]
  readonly height: number
}

/** The list, or a note in its place. */
function Body<T extends object, V>(props: BodyProps<T, V>) {
  const { resource, screen, loaded, isActive, list, columns, height, pages } = props
  const { data: view } = loaded
  const { filter, isTyping } = list.state
  // A search at the service may find something with the next letter.
  const isSearching = pages !== undefined && (isTyping || filter !== '')
  const note = <NoList {...props} />
  if (list.total === 0 && !isSearching) return note
  return (
    <ListView
      view={list}
      rowOf={(one) => rowOf(resource, columns, { one, view })}
      height={height}
      isActive={isActive}
      hasMarks={scopeHasGroup(screen, 'marks')}
      empty=""
      note={view === undefined ? note : undefined}
      terms={pages?.terms}
    />
  )
}

function NoList<T extends object, V>({ resource, screen, loaded, gone = '' }: ResourceListProps<T, V>) {
  const { data: view, isLoading, shownError } = loaded
  const { key: create = '' } = withKey(useKeymap(), [screen, 'create'], {})
  if (view === undefined) return <LoadNote isLoading={isLoading} shownError={shownError} empty={gone} />
  // The frame reports a failed refresh.
  return <LoadNote isLoading={false} shownError={undefined} empty={emptyOf(resource, view, create)} />
}

function useResourceKeys<T extends object, V>(
  { resource, loaded, unread, pages, choices = [] }: ResourceListProps<T, V>,
  { selected, chosen, unmark }: ListControl<T>,
) {
  const shell = useShell()
  const view = loaded.data ?? (loaded.shownError ? unread : undefined)
  const { own, opening } = openingsOf(resource, selected, view)
  const through = own && (() => shell.open(own))
  const acts = useResourceActions(resource, {
    view,
    selected,
    chosen,
    through,
    onDone: unmark,
    onRemoved: unmark,
  })
  const intents: Intents = {
    ...acts.intents,
    // What was typed for a row must not open a menu about none, which would cover the rows that come later.
    open: () => (opening ? shell.open(opening) : selected && showMenu(shell, acts.actions)),
    'copy-id': () => selected && shell.copy(...copiedOf(resource, selected)),
    'copy-command': () => view !== undefined && shell.copy(resource.command(selected, view), 'the command'),
  }
  const more = pages ? [...choices, listCommandChoice(pages, shell)] : choices
  return { ...acts, intents, actions: { ...acts.actions, choices: [...acts.actions.choices, ...more] } }
}

const listCommandChoice = ({ command }: Pages, { copy }: Shell): Choice => ({
  id: 'list-command',
  label: 'Copy the list as a command',
  hint: command,
  run: () => copy(command, 'the command'),
})

/** The item's own screen, and the screen that enter opens. */
function openingsOf<T extends object, V>({ own, below }: Resource<T, V>, one: T | undefined, view: V | undefined) {
  if (one === undefined || view === undefined) return {}
  const [itself, inIt] = [own?.(one, view), below?.(one, view).opens]
  return { own: itself, opening: inIt ?? itself }
}

function rowOf<T extends object, V>(
  resource: Resource<T, V>,
  columns: readonly ListColumn<T>[],
  { one, view }: ViewedItem<T, V | undefined>,
): TableRow {
  const now = Date.now()
  const cells = columns.map(({ shown }) => shown(one, (date) => shortTime(date, now)))
  const tone = view === undefined ? undefined : resource.tone?.(one, view, now)
  return { id: resource.id(one), cells, tone: tone ?? 'plain' }
}

interface ResourceDetailProps<T extends object, V> extends ScreenProps {
  readonly resource: Resource<T, V>
  readonly screen: KeyScope
  readonly loaded: LoadResult<V>
  /** Id of the resource. */
  readonly subject: string
  /** Shown when the resource is gone. */
  readonly gone: string
  /** A line above everything else. */
  readonly above?: ReactNode
  /** Intents of the surrounding screen. */
  readonly around?: Intents
}

/** One resource in full, with its actions. */
export function ResourceDetail<T extends object, V>(props: ResourceDetailProps<T, V>) {
  const { resource, screen, loaded, subject, gone, isActive, around = {} } = props
  const isThere = useIsThere()
  const view = loaded.data
  const one = view === undefined ? undefined : resource.of(view).find((each) => resource.id(each) === subject)
  if (view !== undefined && one) return <DetailBody {...props} one={one} view={view} isThere={isThere} />
  return <WaitingPage screen={screen} isActive={isActive} loaded={loaded} gone={gone} intents={around} />
}

interface DetailBodyProps<T extends object, V>
  extends Pick<ResourceDetailProps<T, V>, 'resource' | 'screen' | 'isActive' | 'above' | 'around'> {
  readonly one: T
  readonly view: V
  readonly isThere: () => boolean
}

function DetailBody<T extends object, V>({
  resource,
  screen,
  isActive,
  above,
  around,
  one,
  view,
  isThere,
}: DetailBodyProps<T, V>) {
  const shell = useShell()
  const acts = useResourceActions(withoutListActions(resource), {
    view,
    selected: one,
    chosen: [one],
    isDetail: true,
    onDone: () => {},
    onRemoved: () => isThere() && shell.back(),
  })
  const entries = acts.actions.choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, detailOf(resource, one, view).facts, above ? 1 : 0, entries)
  return (
    <Page
      screen={screen}
      isActive={isActive}
      above={above}
      {...acts}
      intents={{
        ...menu.list.intents,
        ...acts.intents,
        open: menu.open,
        'copy-id': () => shell.copy(...copiedOf(resource, one)),
        'copy-command': () => shell.copy(resource.command(one, view), 'the command'),
        ...around,
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}

/** Without the actions on the list itself. */
const withoutListActions = <T extends object, V>(resource: Resource<T, V>): Resource<T, V> => ({
  ...resource,
  below: undefined,
  acts: resource.acts.filter(({ about }) => about !== 'place'),
})
