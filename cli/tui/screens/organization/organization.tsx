import { useOrganization } from '../../hooks/use-organization.ts'
import { PlaceContext, useKept, usePlace } from '../../hooks/use-place.ts'
import { type Panel, panels } from '../../keys/keys.ts'
import { useLoadedKeys } from '../keys/use-keys.tsx'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'
import { InvitationsPanel } from './invitations-panel.tsx'
import { KeysPanel } from './keys-panel.tsx'
import { MembersPanel } from './members-panel.tsx'
import type { PanelProps } from './panel-page.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { SettingsPanel } from './settings-panel.tsx'
import { TeamsPanel } from './teams-panel.tsx'

const views: Readonly<Record<Panel, (props: PanelProps) => React.ReactNode>> = {
  members: MembersPanel,
  invitations: InvitationsPanel,
  teams: TeamsPanel,
  roles: RolesPanel,
  keys: KeysPanel,
  settings: SettingsPanel,
}

/** One organization: its panels, over what was read of it once. */
export function OrganizationScreen({ isActive, subject }: ScreenProps & { readonly subject: string }) {
  const [panel, setPanel] = useKept<Panel>('panel', 'members')
  const { data, isLoading, shownError } = useOrganization(subject)
  const go = (by: 1 | -1) => () => {
    const next = panels[(panels.indexOf(panel) + by + panels.length) % panels.length]
    if (next) setPanel(next)
  }
  const tabbing = { 'next-panel': go(1), 'previous-panel': go(-1) }
  if (data) return <PanelOf panel={panel} view={data} isActive={isActive} tabbing={tabbing} />
  return (
    <Page screen="organization" isActive={isActive} isLoading={isLoading} intents={tabbing}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="" />
    </Page>
  )
}

/** The keys are read for all panels, since the tabs tell how many there are. */
function PanelOf({ panel, view, ...rest }: Omit<PanelProps, 'keys'> & { readonly panel: Panel }) {
  const place = usePlace()
  const keys = useLoadedKeys(view)
  const Shown = views[panel]
  return (
    <PlaceContext.Provider value={`${place} ${panel}`}>
      <Shown key={panel} view={view} keys={keys} {...rest} />
    </PlaceContext.Provider>
  )
}
