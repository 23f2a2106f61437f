import { commandWith } from '../../../flows/command-line.ts'
import type { OrganizationView } from '../../../flows/org/view.ts'
import { holdersOf, roleView } from '../../../flows/role/view.ts'
import { roleDetail } from '../../details/role.ts'
import { useOrganization } from '../../hooks/use-organization.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { LoadNote } from '../load-note.tsx'
import { MenuView, useMenu } from '../menu-view.tsx'
import { Page, type ScreenProps } from '../page.tsx'

export interface PartProps extends ScreenProps {
  readonly organizationId: string
  readonly subject: string
}

/** What a role may do, and who holds it: each leads to the member. */
export function RoleScreen({ isActive, organizationId, subject }: PartProps) {
  const { data, isLoading, shownError } = useOrganization(organizationId)
  if (data && Object.hasOwn(data.roles, subject)) return <Role view={data} role={subject} isActive={isActive} />
  return (
    <Page screen="role" isActive={isActive} isLoading={isLoading} intents={{}}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="This service has no such role any more" />
    </Page>
  )
}

interface RoleProps extends ScreenProps {
  readonly view: OrganizationView
  readonly role: string
}

function Role({ view, role, isActive }: RoleProps) {
  const shell = useShell()
  const { id: organizationId, slug, members } = view.organization
  const holders = holdersOf(members, role).map(({ id, user }) => ({
    id,
    label: user.name,
    hint: user.email,
    run: () => shell.open({ screen: 'member', subject: id, title: user.name, organizationId }),
  }))
  const menu = useMenu(holders, roleDetail(view, role).facts)
  const command = commandWith(roleView, [], { given: { role }, flags: ['--org', slug] })
  return (
    <Page
      screen="role"
      isActive={isActive}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        actions: menu.open,
        'copy-id': () => shell.copy(role, 'the name of the role'),
        'copy-command': () => shell.copy(command, 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}
