import { describe, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { catalogue } from '../../../shared/errors.ts'
import { authorize, organizationRoles } from '../../../shared/permissions.ts'

/** What clients of the reference are told about organizations, word by word. */
const sentences = [
  'You are not allowed to create a new organization',
  'You have reached the maximum number of organizations',
  'Organization already exists',
  'Organization not found',
  'User is not a member of the organization',
  'You are not allowed to update this organization',
  'You are not allowed to delete this organization',
  'No active organization',
  'Member not found',
  'Team not found',
  'You cannot leave the organization as the only owner',
  'You are not allowed to delete this member',
  'You are not allowed to invite users to this organization',
  'Invitation not found',
  'You are not the recipient of the invitation',
  'You are not allowed to cancel this invitation',
  'Inviter is no longer a member of the organization',
  'Failed to retrieve invitation',
  'Unable to remove last team',
  'Organization membership limit reached',
  'You are not allowed to delete teams in this organization',
  'You are not allowed to update this team',
  'Invitation not found!',
  'Not authenticated',
  'Organization ID is required',
  'You are not a member of this organization',
  'User not found',
  'slug is taken',
]

// Each listed failure is provoked by a request in failures.test.ts.
it.each(sentences)('“%s” is the answer of some call about organizations', (sentence) => {
  const { organization, member, invitation, team } = contract
  const calls = [organization, member, invitation, team].flatMap((group: CallGroup) => Object.values(group))
  const said = calls.flatMap(({ failures }) => failures.map((failure): string => catalogue[failure].message))
  expect(said).toContain(sentence)
})

// has-permission answers a boolean, and every other call has a sentence of its own: no request provokes these.
describe('the permission function alone says', () => {
  const admin = organizationRoles.admin ?? {}

  it.each([
    ['You are not allowed to access resource: rocket', { rocket: ['launch'] }, 'AND'],
    ['unauthorized to access resource "organization"', { organization: ['delete'] }, 'AND'],
    ['Not authorized', { organization: ['delete'] }, 'OR'],
  ] as const)('“%s”', (error, request, mode) => {
    expect(authorize(admin, request, mode)).toEqual({ success: false, error })
  })
})
