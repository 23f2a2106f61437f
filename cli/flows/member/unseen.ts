import type { FlowConnection } from '../flow-context.ts'
import { allMembers, loadOrganization, memberQuery, type OrganizationView } from '../org/view.ts'
import type { ScreenTarget } from '../resource.ts'

const unseenDays = 30
/** The period as `member list --not-seen` takes it. */
export const unseenPeriod = `${unseenDays}d`
export const unseenTitle = `Not seen for ${unseenDays} days`
const unseenSince = (): Date => new Date(Date.now() - unseenDays * 86_400_000)

export const unseenOpening = (organizationId: string): ScreenTarget => ({
  screen: 'unseen',
  title: unseenTitle,
  organizationId,
})

/** How many people were not seen lately. Zero for members whom the service would not tell. */
export async function countUnseen({ api }: Pick<FlowConnection, 'api'>, organizationId: string): Promise<number> {
  const { success } = await api.organization.hasPermission({ organizationId, permissions: { member: ['delete'] } })
  if (!success) return 0
  const { total } = await api.member.listMembers({
    ...memberQuery({ unseenSince: unseenSince() }),
    organizationId,
    limit: '1',
  })
  return total
}

/** An organization, and the ids of the members who were not seen lately. */
export interface UnseenView extends OrganizationView {
  readonly unseen: readonly { readonly id: string }[]
}

export async function loadUnseen(
  connection: Pick<FlowConnection, 'api'>,
  organizationId: string,
  viewer: Parameters<typeof loadOrganization>[2],
): Promise<UnseenView> {
  const [view, unseen] = await Promise.all([
    loadOrganization(connection, organizationId, viewer),
    allMembers(connection.api, organizationId, { unseenSince: unseenSince() }),
  ])
  return { ...view, unseen }
}
