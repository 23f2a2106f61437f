import { commandWith } from '../command-line.ts'
import { type OrganizationView, scopeOf } from '../org/view.ts'
import { act, type Resource } from '../resource.ts'
import { withSameIds } from '../resource-fields.ts'
import { invitationFields, type ListedInvitation, toListedInvitation } from './invitations.ts'
import { invitationList } from './list.ts'
import { cancelInvitation, invite, resendInvitation } from './sent.ts'

const sent = (chosen: readonly ListedInvitation[], { organization: { invitations, slug: org } }: OrganizationView) =>
  withSameIds(invitations, chosen).map((invitation) => ({ invitation, org }))

const statusOf = ({ expired, status }: ListedInvitation): string => (expired ? 'expired' : status)

export const invitations: Resource<ListedInvitation, OrganizationView> = {
  noun: 'invitation',
  fields: invitationFields,
  list: ['email', 'status', 'roles', 'expiresAt'],
  detail: ['email', 'status', 'roles', 'teamIds', 'inviterId', 'expiresAt', 'id'],
  id: ({ id }) => id,
  label: ({ email }) => email,
  line: (one) => `${one.email}  ${statusOf(one)}  ${one.roles.join(', ')}`,
  tone: ({ status }) => (status === 'pending' ? 'plain' : 'muted'),
  of: ({ organization }) => organization.invitations.map((one) => toListedInvitation(one, Date.now())),
  empty: (_, create) => `Nobody was invited yet. ${create} invites somebody.`,
  acts: [
    act(invite, { key: ['c', 'create', 'invite'], about: 'place', subjects: (_, view) => [scopeOf(view)] }),
    act(resendInvitation, { about: 'several', subjects: sent }),
    act(cancelInvitation, { key: ['D', 'remove', 'cancel'], about: 'several', removes: true, subjects: sent }),
  ],
  command: (_, { organization: { slug } }) => commandWith(invitationList, [], { flags: ['--org', slug] }),
}
