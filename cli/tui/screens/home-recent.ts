import type { FullOrganization } from '../../../shared/organization.ts'
import { ownTrailOpening } from '../../flows/account/activity.ts'
import { unseenOpening } from '../../flows/member/unseen.ts'
import type { HomeView } from '../home/notices.ts'
import { eventsByDay, recentSummary, sparkline, unseenMembers, waitingInvitations } from '../home/recent.ts'
import type { Shell } from '../hooks/use-shell.ts'
import type { MenuEntry } from './menu-view.tsx'

/** What happened lately: the activity of the account, and what one may do about the organization. */
export function recentEntries(view: HomeView, { open }: Shell): readonly MenuEntry[] {
  const { recent, place } = view.answers
  const events = recent.data && recent.data.events.length > 0 ? recent.data : undefined
  const activity = {
    id: 'activity',
    label: 'Activity',
    hint: events && `${sparkline(eventsByDay(events, view.now))}  ${recentSummary(events, view.now)}`,
    run: () => open(ownTrailOpening),
  }
  return [activity, ...(place.data ? organizationEntries(view, place.data, open) : [])].flatMap(({ hint, ...entry }) =>
    hint ? [{ ...entry, hint }] : [],
  )
}

function organizationEntries(view: HomeView, { id, name, ...place }: FullOrganization, open: Shell['open']) {
  const openOrganization = () => open({ screen: 'organization', subject: id, title: name })
  return [
    {
      id: 'waiting',
      label: `Invitations of ${name}`,
      hint: waitingInvitations(place, view.now),
      run: openOrganization,
    },
    {
      id: 'unseen',
      label: `Members of ${name}`,
      hint: unseenMembers(view.unseen),
      run: () => {
        openOrganization()
        open(unseenOpening(id))
      },
    },
  ]
}
