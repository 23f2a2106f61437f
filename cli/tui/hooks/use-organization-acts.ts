import { namesWithin } from '../../flows/audit/names.ts'
import { commandWith } from '../../flows/command-line.ts'
import { formOf } from '../../flows/form.ts'
import { organizationActivity } from '../../flows/org/activity.ts'
import { deleteOrganization } from '../../flows/org/delete.ts'
import { editOrganization } from '../../flows/org/edit.ts'
import { leaveOrganization } from '../../flows/org/leave.ts'
import { toOrganization } from '../../flows/org/organizations.ts'
import { organizationTitle } from '../../flows/org/titles.ts'
import { type OrganizationView, whyNotPermitted } from '../../flows/org/view.ts'
import { withKey } from '../keys/key-text.ts'
import type { TuiConnection } from '../ports.ts'
import type { Choice } from '../state/overlays.ts'
import { useViewedAction } from './use-action.ts'
import { useAppState } from './use-app-state.ts'
import { formChoice } from './use-form.ts'
import { type Shell, useShell } from './use-shell.ts'

/** What is done with an organization as a whole. */
export interface OrganizationActs {
  readonly edit: Choice
  readonly leave: Choice
  readonly remove: Choice
  readonly activity: Choice
}

export function useOrganizationActs(): (view: OrganizationView) => OrganizationActs {
  const shell = useShell()
  const state = useAppState()
  const toList = () => shell.go('orgs')
  const leaving = useViewedAction(leaveOrganization, { onDone: toList })
  const deleting = useViewedAction(deleteOrganization, { onDone: toList })
  return (view) => {
    const { organization } = view
    const targets = [toOrganization(organization)]
    const edit = formChoice(shell, state, () => formOf(editOrganization, { subjects: targets, view }))
    return {
      edit: withKey('settings', 'edit', edit),
      leave: leaving.choice(targets, [organizationTitle(organization)], view),
      remove: withKey('settings', 'remove', deleting.choice(targets, [sizeOf(view)], view)),
      activity: activityOf(view, shell),
    }
  }
}

/** What was done in it, for those who may change it. */
function activityOf(view: OrganizationView, { open }: Shell): Choice {
  const { id: organizationId, slug } = view.organization
  const command = commandWith(organizationActivity, [], { flags: ['--org', slug] })
  const ask =
    ({ api }: Pick<TuiConnection, 'api'>) =>
    (query: object) =>
      api.audit.listOrganizationActivity({ ...query, organizationId })
  return {
    id: 'activity',
    label: 'Activity',
    hint: command,
    disabledReason: whyNotPermitted(view, 'organization:update'),
    run: () => open({ screen: 'trail', title: 'Activity', trail: { ask, command, names: namesWithin(view) } }),
  }
}

const sizeOf = ({ organization: { members, teams } }: OrganizationView): string =>
  `${counted(members, 'member')}, ${counted(teams ?? [], 'team')}`
const counted = ({ length }: readonly unknown[], noun: string): string => `${length} ${noun}${length === 1 ? '' : 's'}`
