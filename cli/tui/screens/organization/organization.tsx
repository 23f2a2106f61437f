import { useState } from 'react'
import { useOrganization } from '../../hooks/use-organization.ts'
import { type Panel, panels } from '../../keys/keys.ts'
import { LoadNote } from '../load-note.tsx'
import { Page, type ScreenProps } from '../page.tsx'
import { InvitationsPanel } from './invitations-panel.tsx'
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
  settings: SettingsPanel,
}

/** One organization: its panels, over what was read of it once. */
export function OrganizationScreen({ isActive, subject }: ScreenProps & { readonly subject: string }) {
  const [panel, setPanel] = useState<Panel>('members')
  const { data, isLoading, shownError } = useOrganization(subject)
  const go = (by: 1 | -1) => () => {
    const next = panels[(panels.indexOf(panel) + by + panels.length) % panels.length]
    if (next) setPanel(next)
  }
  const tabbing = { 'next-panel': go(1), 'previous-panel': go(-1) }
  const Shown = views[panel]
  if (data && !shownError) return <Shown key={panel} view={data} isActive={isActive} tabbing={tabbing} />
  return (
    <Page screen="organization" isActive={isActive} intents={tabbing}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="" />
    </Page>
  )
}
