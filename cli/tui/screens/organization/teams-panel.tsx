import type { Team } from '../../../../shared/organization.ts'
import { commandLine } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { membersOfTeam, type OrganizationView } from '../../../flows/org/view.ts'
import { createTeam } from '../../../flows/team/create.ts'
import { deleteTeam } from '../../../flows/team/delete.ts'
import { renameTeam } from '../../../flows/team/edit.ts'
import { relativeTime } from '../../../output/time.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useForm } from '../../hooks/use-form.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { ListView, listOverhead } from '../list-view.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

const none: readonly Team[] = []

/** The teams of the organization. */
export function TeamsPanel(props: PanelProps) {
  const { view, isActive } = props
  const shell = useShell()
  const height = shell.height - listOverhead - tabsHeight
  const { teams } = view.organization
  const list = useList({ items: teams ?? none, idOf, textOf, height })
  const { intents, disabledReasons } = useTeamKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="teams"
      typing={list.state.isTyping ? list.typing.intents : undefined}
      disabledReasons={disabledReasons}
      intents={{ ...list.intents, ...intents }}
    >
      <ListView
        view={list}
        headers={['Team', 'Members', 'Since', '']}
        rowOf={(team) => rowOf(team, view)}
        height={height}
        isActive={isActive}
        empty={teams ? 'No team yet. c creates one.' : 'This service has no teams.'}
      />
    </PanelPage>
  )
}

function useTeamKeys(view: OrganizationView, { selected }: ListControl<Team>) {
  const shell = useShell()
  const { id: organizationId, slug } = view.organization
  const targets = selected ? [{ team: selected, org: slug }] : []
  const creating = useForm(() => formOf(createTeam, { subjects: [{ organizationId, org: slug }], view }))
  const renaming = useForm(() => formOf(renameTeam, { subjects: targets, view }))
  const deleting = useAction(deleteTeam, { view, chosen: targets })
  const details = selected ? [`${membersOfTeam(view, selected.id).length} members`] : []
  const command = commandLine('postern', 'team', 'member', 'list', '--team', selected?.name ?? 'TEAM', '--org', slug)
  const open = () => {
    if (!selected) return
    shell.open({ screen: 'team', subject: selected.id, title: selected.name, organizationId })
  }
  const members = { id: 'members', label: 'Members of the team', hint: command, run: open }
  return {
    disabledReasons: {
      create: creating.disabledReason,
      edit: renaming.disabledReason,
      remove: deleting.disabledReason,
    },
    intents: {
      create: creating.open,
      edit: () => (selected ? renaming.open() : shell.say('No team is selected')),
      remove: () => deleting.ask(targets, details),
      open,
      actions: () =>
        shell.show({
          kind: 'picker',
          title: selected?.name ?? 'No team selected',
          choices: selected ? [members, renaming.choice, deleting.choice(targets, details)] : [creating.choice],
        }),
      'copy-id': () => selected && shell.copy(selected.id, 'the team id'),
      'copy-command': () => selected && shell.copy(command, 'the command'),
    },
  }
}

const idOf = ({ id }: Team): string => id
const textOf = ({ name }: Team): string => name

const rowOf = ({ id, name, createdAt }: Team, view: OrganizationView) => ({
  id,
  cells: [
    name,
    String(membersOfTeam(view, id).length),
    relativeTime(createdAt, Date.now()),
    view.self?.teamId === id ? 'yours' : '',
  ],
})
