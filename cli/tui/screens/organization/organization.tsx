import { Box } from 'ink'
import { Fragment, type ReactNode, useCallback, useContext, useMemo } from 'react'
import type { MachineKey } from '../../../../shared/machine-key.ts'
import { invitations } from '../../../flows/invitation/resource.ts'
import { type KeysView, keys, readKeys } from '../../../flows/key/resource.ts'
import { members, unseenMembers } from '../../../flows/member/resource.ts'
import { loadUnseen, unseenTitle } from '../../../flows/member/unseen.ts'
import { organizationSettings } from '../../../flows/org/resource.ts'
import { loadOrganization, type OrganizationView, pendingInvitations, whyNotSeeKeys } from '../../../flows/org/view.ts'
import { roles } from '../../../flows/role/resource.ts'
import { teamIn, teamMembers, teams } from '../../../flows/team/resource.ts'
import { countText } from '../../../output/words.ts'
import { Line, type Span } from '../../components/primitives.tsx'
import type { Intents } from '../../hooks/use-bindings.ts'
import { ScreenKeyContext, useKeptState, useScreenKey } from '../../hooks/use-kept-state.ts'
import { useKeymap } from '../../hooks/use-keymap.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { indexAt, PageMouseContext, useMouse } from '../../hooks/use-mouse.ts'
import { useAppState, useShell } from '../../hooks/use-shell.ts'
import { keyOf } from '../../keymap/key-text.ts'
import { type Panel, panels, panelTitles } from '../../keymap/names.ts'
import type { TuiConnection } from '../../ports.ts'
import { keepOrganizationRead } from '../../state/kept-organizations.ts'
import type { LoadState } from '../../state/load-state.ts'
import { type LoadResult, type ScreenProps, useMergedView, WaitingPage } from '../page.tsx'
import { ResourceDetail, ResourceList } from '../resource-views.tsx'

/** The props of every panel. */
interface PanelProps extends ScreenProps {
  readonly seen: LoadResult<OrganizationView>
  readonly keys: LoadResult<KeysView>
  readonly above: ReactNode
  /** The intents that switch panels. */
  readonly around: Intents
}

const bodies: Readonly<Record<Panel, (props: PanelProps) => ReactNode>> = {
  members: ({ seen, ...props }) => <ResourceList resource={members} screen="members" loaded={seen} {...props} />,
  invitations: ({ seen, ...props }) => (
    <ResourceList resource={invitations} screen="invitations" loaded={seen} {...props} />
  ),
  teams: ({ seen, ...props }) => <ResourceList resource={teams} screen="teams" loaded={seen} {...props} />,
  roles: ({ seen, ...props }) => <ResourceList resource={roles} screen="roles" loaded={seen} {...props} />,
  keys: ({ keys: loaded, seen, ...props }) => (
    <ResourceList resource={keys} screen="keys" loaded={loaded} unread={{ keys: [], within: seen.data }} {...props} />
  ),
  settings: ({ seen, ...props }) => (
    <ResourceDetail
      resource={organizationSettings}
      screen="settings"
      loaded={seen}
      subject={seen.data?.organization.id ?? ''}
      gone=""
      {...props}
    />
  ),
}

/** One organization with its panels, all showing the same data. */
export function OrganizationScreen({ isActive, subject }: ScreenProps & { readonly subject: string }) {
  const [panel, setPanel] = useKeptState<Panel>('panel', 'members')
  const loaded = useOrganization(subject)
  const go = (by: 1 | -1) => () => {
    const next = panels[(panels.indexOf(panel) + by + panels.length) % panels.length]
    if (next) setPanel(next)
  }
  const around = { 'next-panel': go(1), 'previous-panel': go(-1) }
  if (loaded.data)
    return <PanelView panel={panel} view={loaded.data} isActive={isActive} around={around} onPanel={setPanel} />
  return <WaitingPage screen="organization" isActive={isActive} intents={around} loaded={loaded} gone="" />
}

interface PanelViewProps extends Pick<PanelProps, 'isActive' | 'around'> {
  readonly panel: Panel
  readonly view: OrganizationView
  readonly onPanel: (panel: Panel) => void
}

/** Keys are loaded for all panels, since the tabs show their number. */
function PanelView({ panel, view, onPanel, ...props }: PanelViewProps) {
  const place = useScreenKey()
  const { width } = useShell()
  const keysThere = useKeys(view)
  const seen = useMemo(() => ({ data: view, isLoading: false, shownError: undefined }), [view])
  const above = <Tabs panel={panel} counts={countsOf(view, keysThere.data)} width={width} onPanel={onPanel} />
  return (
    <ScreenKeyContext.Provider value={`${place} ${panel}`}>
      <Fragment key={panel}>{bodies[panel]({ ...props, seen, keys: keysThere, above })}</Fragment>
    </ScreenKeyContext.Provider>
  )
}

const toKeysView = (all: readonly MachineKey[], within: OrganizationView): KeysView => ({ keys: all, within })

function useKeys(view: OrganizationView): LoadResult<KeysView> {
  const { id } = view.organization
  const isForbidden = whyNotSeeKeys(view) !== undefined
  const load = useCallback(
    async (connection: TuiConnection) => (isForbidden ? [] : readKeys(connection, id)),
    [id, isForbidden],
  )
  return useMergedView(useLoad(load), view, toKeysView)
}

function countsOf(view: OrganizationView, known: KeysView | undefined): Partial<Record<Panel, number>> {
  const { members: all, invitations: sent, teams: some } = view.organization
  return {
    members: all.length,
    invitations: pendingInvitations(sent).length,
    ...(some && { teams: some.length }),
    roles: Object.keys(view.roles).length,
    ...(known && whyNotSeeKeys(view) === undefined && { keys: known.keys.length }),
  }
}

interface PartProps extends ScreenProps {
  readonly organizationId: string
  readonly subject: string
}

/** The members of a team. */
export function TeamScreen({ isActive, organizationId, subject }: PartProps) {
  const { data, isLoading, shownError } = useOrganization(organizationId)
  const view = useMemo(() => data && teamIn(data, subject), [data, subject])
  const loaded = { data: view, isLoading: data === undefined && isLoading, shownError }
  return (
    <ResourceList resource={teamMembers} screen="team" loaded={loaded} gone="This team is gone" isActive={isActive} />
  )
}

/** The members who were not seen lately. Going back leads to all of them. */
export function UnseenScreen({ isActive, organizationId }: Pick<PartProps, 'isActive' | 'organizationId'>) {
  const { userId, activeTeamId } = useAppState().me?.session ?? {}
  const load = useCallback(
    (connection: TuiConnection) => loadUnseen(connection, organizationId, { userId, activeTeamId }),
    [organizationId, userId, activeTeamId],
  )
  const above = <Line spans={[{ text: `Only members ${unseenTitle.toLowerCase()}`, tone: 'warning' }]} />
  return (
    <ResourceList resource={unseenMembers} screen="unseen" loaded={useLoad(load)} above={above} isActive={isActive} />
  )
}

/** One member of an organization. */
export const MemberScreen = ({ organizationId, ...props }: PartProps) => (
  <ResourceDetail
    resource={members}
    screen="member"
    loaded={useOrganization(organizationId)}
    gone="This member has left"
    {...props}
  />
)

/** A role's permissions and holders. */
export const RoleScreen = ({ organizationId, ...props }: PartProps) => (
  <ResourceDetail
    resource={roles}
    screen="role"
    loaded={useOrganization(organizationId)}
    gone="This service has no such role any more"
    {...props}
  />
)

interface TabsProps {
  readonly panel: Panel
  readonly counts: Partial<Record<Panel, number>>
  readonly width: number
  /** Called when a tab is clicked. */
  readonly onPanel: (panel: Panel) => void
}

/**
 * The tabs of an organization, with the current one in brackets. If they do not fit, only that one and the number of
 * tabs.
 */
export function Tabs({ panel, counts, width, onPanel }: TabsProps) {
  const texts = panels.map((name) => textOf(name, name === panel, counts[name]))
  const at = panels.indexOf(panel)
  const isWide = texts.join('  ').length <= width
  const shown = isWide ? texts : texts.slice(at, at + 1)
  const spans = shown.map((text): Span => {
    const isHere = text === texts[at]
    return { text: `${text}  `, tone: isHere ? 'accent' : 'muted', isBold: isHere }
  })
  const { isActive } = useContext(PageMouseContext)
  const next = keyOf(useKeymap(), 'panels', 'next-panel')
  const box = useMouse(isActive, {
    press: (_, column) => {
      const clicked = isWide ? panels[indexAt(texts, '  ', column) ?? -1] : panels[(at + 1) % panels.length]
      if (clicked) onPanel(clicked)
    },
  })
  return (
    <Box ref={box} height={1} flexShrink={0}>
      <Line spans={isWide ? spans : [...spans, { text: `${at + 1} of ${panels.length}, ${next}`, tone: 'muted' }]} />
    </Box>
  )
}

function textOf(name: Panel, isHere: boolean, count: number | undefined): string {
  const title = `${panelTitles[name]}${count === undefined ? '' : ` ${countText(count)}`}`
  return isHere ? `[${title}]` : ` ${title} `
}

/** All data of an organization, reloaded after changes. */
function useOrganization(id: string): LoadState<OrganizationView> {
  const { store, places } = useShell()
  const { userId, activeTeamId } = useAppState().me?.session ?? {}
  const load = useCallback(
    (connection: TuiConnection) => {
      const read = loadOrganization(connection, id, { userId, activeTeamId })
      return keepOrganizationRead(places, store.state, { id, read }).news
    },
    [store, places, id, userId, activeTeamId],
  )
  return useLoad(load)
}
