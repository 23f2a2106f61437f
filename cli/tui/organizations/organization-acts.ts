import { exitCodes } from '../../../shared/exit-codes.ts'
import type { Organization } from '../../../shared/organization.ts'
import { lacks, type OrganizationView, refuseLeaving } from '../../flows/org/view.ts'
import { refusalFrom } from '../../output/failure.ts'
import { Refusal } from '../../refusal.ts'
import { type Act, connectionOf } from '../acts.ts'
import { commandLine } from '../commands.ts'

/** `Acme (acme)` */
export const titleOf = ({ name, slug }: Pick<Organization, 'name' | 'slug'>): string => `${name} (${slug})`

/** No target: no organization is the active one then. */
export const switchOrganization: Act<Organization> = {
  label: 'Make it the active one',
  isWrite: true,
  command: ([organization]) => commandLine('postern', 'org', 'use', organization?.slug ?? '-'),
  run: async (desk, [organization]) => {
    await connectionOf(desk).api.organization.setActive({ organizationId: organization?.id ?? null })
  },
  done: ([organization]) =>
    organization ? `Now working in ${titleOf(organization)}` : 'Now working in no organization',
}

/** The same without one. Its targets say nothing. */
export const workInNone: Act<null> = {
  label: 'Work in no organization',
  isWrite: true,
  command: () => switchOrganization.command([]),
  run: (desk) => switchOrganization.run(desk, []),
  done: () => switchOrganization.done([]),
}

export const leaveOrganization = (view: OrganizationView): Act<Organization> => ({
  label: 'Leave',
  isWrite: true,
  refusal: () => refuseLeaving(view),
  command: ([organization]) => commandLine('postern', 'org', 'leave', organization?.slug ?? 'ORG'),
  question: ([organization]) => `Leave ${organization ? titleOf(organization) : 'this organization'}?`,
  run: async (desk, organizations) => {
    const { api } = connectionOf(desk)
    for (const { id } of organizations) await api.member.leave({ organizationId: id })
  },
  done: ([organization]) => `Left ${organization ? titleOf(organization) : 'the organization'}`,
})

export const deleteOrganization = (view: OrganizationView): Act<Organization> => ({
  label: 'Delete the organization',
  isWrite: true,
  refusal: () => lacks(view, 'organization:delete'),
  command: ([organization]) =>
    commandLine('postern', 'org', 'delete', organization?.slug ?? 'ORG', '--confirm', organization?.slug ?? 'SLUG'),
  question: ([organization]) =>
    `Delete ${organization ? titleOf(organization) : 'this organization'} for good, with all in it?`,
  word: () => view.organization.slug,
  run: async (desk, organizations) => {
    const { api } = connectionOf(desk)
    for (const { id } of organizations) await api.organization.remove({ organizationId: id }).catch(explain)
  },
  done: ([organization]) => `Deleted ${organization ? titleOf(organization) : 'the organization'}`,
})

/** A refusal without a word: the service deletes none. */
function explain(error: unknown): never {
  const { code, status } = refusalFrom(error)
  if (code !== 'FORBIDDEN') throw error
  const options = { code, status, hint: 'Ask its owner.', cause: error }
  throw new Refusal(exitCodes.forbidden, 'This service lets nobody delete an organization', options)
}
