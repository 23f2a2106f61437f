import type { MemberView } from '../../../shared/organization.ts'
import {
  type EventValues,
  eventFilterFields,
  type FetchEvents,
  pageFields,
  queryOf,
  type TrailListing,
  trailListing,
  userFilterFields,
} from '../audit/events.ts'
import { type Trail, toTrail } from '../audit/trail.ts'
import type { ValuesOf } from '../field.ts'
import type { FlowContext } from '../flow-context.ts'
import { membersOf, pickMember } from '../member/members.ts'
import { workingOrganizationId } from './organizations.ts'
import { namesInOrganization, type OrganizationView } from './view.ts'

const whom = {
  user: { ...userFilterFields.user, label: 'Member', summary: 'only what concerns that member' },
  actor: { ...userFilterFields.actor, summary: 'only what that member did' },
} as const
const fields = { ...eventFilterFields, ...whom, ...pageFields } as const

export const organizationActivity: TrailListing<typeof fields> = {
  ...trailListing(ask),
  command: 'org activity',
  summary: 'The audit trail of the organization, newest first; for its owners and admins',
  fields,
  call: '/organization/list-activity',
  examples: ['', '--org acme --event role-changed,member', '--actor ann@example.com --since 7d', '--follow --ndjson'],
}

async function ask(context: FlowContext, values: ValuesOf<typeof fields>): Promise<FetchEvents> {
  const organizationId = await workingOrganizationId(context)
  return askIn(context, values, { organizationId, members: () => membersOf(context) })
}

interface ActivityPlace {
  readonly organizationId: string | undefined
  readonly members: () => Promise<readonly MemberView[]>
}

type Values = EventValues & Partial<ValuesOf<typeof whom>>

async function askIn(
  context: Pick<FlowContext, 'signedIn' | 'now'>,
  { user, actor, ...values }: Values,
  { organizationId, members }: ActivityPlace,
): Promise<FetchEvents> {
  const { api } = await context.signedIn()
  const people = await peopleOf(members, { user, actor })
  const which = queryOf(values, context.now())
  return (query) => api.audit.listOrganizationActivity({ ...which, ...query, ...people, organizationId })
}

async function peopleOf(members: ActivityPlace['members'], { user, actor }: Partial<ValuesOf<typeof whom>>) {
  if (user === undefined && actor === undefined) return {}
  const all = await members()
  const idOf = (word: string | undefined) => (word === undefined ? undefined : pickMember(all, word).userId)
  return { userId: idOf(user), actorId: idOf(actor) }
}

/** The trail of an organization whose members are known. */
export const organizationTrail = (view: OrganizationView): Trail => {
  const { id: organizationId, slug, members } = view.organization
  return toTrail({
    listing: organizationActivity,
    terms: ['event', 'user', 'actor', 'since', 'until'],
    flags: ['--org', slug],
    names: () => namesInOrganization(view),
    fetch: (context, values) => askIn(context, values, { organizationId, members: async () => members }),
  })
}
