import { Box } from 'ink'
import type { ReactNode } from 'react'
import { type OrganizationView, waitingOf, whyNotSeeKeys } from '../../../flows/org/view.ts'
import type { Detail } from '../../details/detail.ts'
import type { Intents } from '../../hooks/use-bindings.ts'
import { useShell } from '../../hooks/use-shell.ts'
import type { Panel } from '../../keys/keys.ts'
import type { ActionMenu, DisabledReasons } from '../../state/overlays.ts'
import type { LoadedKeys } from '../keys/use-keys.tsx'
import { Page, type PageList, type ScreenProps } from '../page.tsx'
import { Tabs } from './tabs.tsx'

/** What every panel gets. */
export interface PanelProps extends ScreenProps {
  readonly view: OrganizationView
  readonly keys: LoadedKeys
  /** To the other panels. */
  readonly tabbing: Intents
}

export interface PanelPageProps extends PanelProps {
  readonly panel: Panel
  readonly intents: Intents
  readonly disabledReasons?: DisabledReasons
  readonly actions?: ActionMenu | undefined
  readonly list?: PageList
  /** Of what is selected. */
  readonly detail?: Detail | undefined
  readonly children: ReactNode
}

/** A panel below the tabs of all. */
export function PanelPage({
  panel,
  view,
  keys,
  isActive,
  tabbing,
  intents,
  disabledReasons = {},
  actions,
  list,
  detail,
  children,
}: PanelPageProps) {
  const { width } = useShell()
  const { members, invitations, teams } = view.organization
  const roles = Object.keys(view.roles).length
  const counts = {
    members: members.length,
    invitations: waitingOf(invitations).length,
    ...(teams && { teams: teams.length }),
    roles,
    ...(keys.data && whyNotSeeKeys(view) === undefined && { keys: keys.data.length }),
  }
  return (
    <Page
      screen={panel}
      isActive={isActive}
      intents={{ ...intents, ...tabbing }}
      disabledReasons={disabledReasons}
      actions={actions}
      {...(list && { list })}
      detail={detail}
      above={<Tabs panel={panel} counts={counts} width={width} />}
    >
      <Box flexDirection="column">{children}</Box>
    </Page>
  )
}
