import { useMemo } from 'react'
import type { Team } from '../../../../shared/organization.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { membersOfTeam, type OrganizationView } from '../../../flows/org/view.ts'
import { createTeam } from '../../../flows/team/create.ts'
import { deleteTeam } from '../../../flows/team/delete.ts'
import { renameTeam } from '../../../flows/team/edit.ts'
import { teamMemberList } from '../../../flows/team/list-members.ts'
import { relativeTime } from '../../../output/time.ts'
import { teamDetail } from '../../details/team.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useForm } from '../../hooks/use-form.ts'
import { type ListControl, useList } from '../../hooks/use-list.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { Column } from '../../state/columns.ts'
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
  const columns = useMemo(() => columnsOf(view), [view])
  const list = useList({ items: teams ?? none, idOf, textOf, height, columns })
  const { actions, intents, disabledReasons } = useTeamKeys(view, list)
  return (
    <PanelPage
      {...props}
      panel="teams"
      detail={list.selected && teamDetail(view, list.selected)}
      list={list}
      disabledReasons={disabledReasons}
      actions={actions}
      intents={intents}
    >
      <ListView
        view={list}
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
  const { creating, renaming, deleting, remove, removal } = useTeamActs(view, selected)
  const command = commandWith(teamMemberList, [], { given: { team: selected?.name }, flags: ['--org', slug] })
  const open = () => {
    if (!selected) return
    shell.open({ screen: 'team', subject: selected.id, title: selected.name, organizationId })
  }
  const members = { id: 'members', label: 'Members of the team', hint: command, run: open }
  const create = withKey('teams', 'create', creating.choice)
  const choices = selected
    ? [members, withKey('teams', 'edit', renaming.choice), withKey('teams', 'remove', removal), create]
    : [create]
  return {
    disabledReasons: {
      create: creating.disabledReason,
      edit: renaming.disabledReason,
      remove: deleting.disabledReason,
    },
    actions: { title: selected?.name ?? 'No team selected', choices },
    intents: {
      create: creating.open,
      edit: () => (selected ? renaming.open() : shell.say('No team is selected')),
      remove,
      open,
      'copy-id': () => selected && shell.copy(selected.id, 'the team id'),
      'copy-command': () => selected && shell.copy(command, 'the command'),
    },
  }
}

/** What is done with teams, by forms and by a question. */
function useTeamActs(view: OrganizationView, selected: Team | undefined) {
  const { id: organizationId, slug: org } = view.organization
  const targets = selected ? [{ team: selected, org }] : []
  const details = selected ? [`${membersOfTeam(view, selected.id).length} members`] : []
  const creating = useForm(() => formOf(createTeam, { subjects: [{ organizationId, org }], view }))
  const renaming = useForm(() => formOf(renameTeam, { subjects: targets, view }))
  const deleting = useAction(deleteTeam, { view, chosen: targets })
  return {
    creating,
    renaming,
    deleting,
    remove: () => deleting.ask(targets, details),
    removal: deleting.choice(targets, details),
  }
}

const columnsOf = (view: OrganizationView): readonly Column<Team>[] => [
  { title: 'Team', value: ({ name }) => name },
  { title: 'Members', value: ({ id }) => membersOfTeam(view, id).length },
  { title: 'Since', value: ({ createdAt }) => createdAt },
  { title: '', value: () => '' },
]
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
