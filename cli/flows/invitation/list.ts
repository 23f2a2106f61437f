import type { Invitation, InvitationView } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import { sendVerification, verifyEmail } from '../email/addresses.ts'
import type { FlowContext } from '../flow-context.ts'
import type { Listing, Sheet } from '../listing.ts'
import {
  invitationFields,
  invitationId,
  invitationSheet,
  invitingSlugs,
  type ListedInvitation,
  needsVerification,
  orById,
  pendingAddresses,
  pickReceived,
  pickSent,
  receivedColumns,
  sentColumns,
  sentInvitations,
  toListedInvitation,
} from './invitations.ts'

// Listed here, because importing the contract would load zod with every command.
const statuses: readonly Invitation['status'][] = ['pending', 'accepted', 'rejected', 'canceled']

const fields = {
  status: {
    kind: 'choice',
    label: 'Status',
    flag: '--status <status>',
    summary: 'only those',
    values: statuses,
    isOptional: true,
  },
  mine: { kind: 'toggle', label: 'To me', flag: '--mine', summary: 'those to the signed-in user' },
} as const

export const invitationList: Listing<ListedInvitation, typeof fields> = {
  command: 'invitation list',
  summary: 'The invitations of the organization; without one, those to the signed-in user',
  fields,
  call: '/organization/list-invitations',
  answer: invitationFields,
  columns: (items) => (items.some(({ organizationName }) => organizationName !== null) ? receivedColumns : sentColumns),
  empty: ({ mine }) => (mine ? 'No invitations to you' : 'No invitations'),
  examples: ['--status pending', '--mine --json=id,organizationSlug'],
  list: async (context, { status, mine }) => {
    const { api } = await context.signedIn()
    const sent = mine ? undefined : await sentWhereChosen(context)
    const invitations = sent ?? (await api.invitation.listUserInvitations().catch(explained))
    return invitations
      .filter((invitation) => status === undefined || invitation.status === status)
      .map((invitation) => toListedInvitation(invitation, context.now()))
  },
}

/** Undefined if no organization is named or active. */
async function sentWhereChosen(context: FlowContext): Promise<readonly Invitation[] | undefined> {
  try {
    return await sentInvitations(context)
  } catch (error) {
    if (toCliError(error).code === 'ORGANIZATION_ID_IS_REQUIRED') return undefined
    throw error
  }
}

/** The service's message is for a person who answers an invitation, which nobody does here. */
function explained(cause: unknown): never {
  const { exitCode, code, status } = toCliError(cause)
  if (!needsVerification(code)) throw cause
  throw new CliError(exitCode, 'Invitations are shown only to a verified address', {
    code,
    status,
    hint: `Have a link mailed: ${commandWith(sendVerification)}; then give it: ${commandWith(verifyEmail)}`,
    cause,
  })
}

/** Words from either list, even if the other one is not available. */
async function eitherWords(context: FlowContext): Promise<readonly string[]> {
  const lists = [pendingAddresses(context), invitingSlugs(context)].map((list) => list.catch(() => []))
  return (await Promise.all(lists)).flat()
}

const invitationViewFields = {
  invitation: {
    kind: 'text',
    label: 'Invitation',
    argument: '<invitation>',
    summary: 'its id, the address it was sent to, or slug or name of the organization that invites',
    key: 'id',
    complete: eitherWords,
  },
} as const

export const invitationView: Sheet<ListedInvitation, typeof invitationViewFields> = {
  command: 'invitation view',
  summary: 'One invitation: to the signed-in user, or of the organization',
  fields: invitationViewFields,
  call: '/organization/get-invitation',
  answer: invitationFields,
  columns: invitationSheet,
  examples: ['ben@example.com', 'acme'],
  view: async (context, values) => toListedInvitation(await findEither(context, values.invitation), context.now()),
}

/**
 * The service shows an invitation only to its recipient; members find it in the organization's list. The direct look-up
 * comes first.
 */
async function findEither(context: FlowContext, word: string): Promise<Invitation | InvitationView> {
  const { api } = await context.signedIn()
  if (word.includes('@')) return pickSent(await sentInvitations(context), word)
  try {
    if (invitationId.test(word)) return await api.invitation.getInvitation({ id: word })
    return pickReceived(await api.invitation.listUserInvitations(), word)
  } catch (error) {
    if (toCliError(error).code === 'AMBIGUOUS') throw error
    const sent = await sentInvitations(context).catch(() => [])
    const found = orById(() => pickSent(sent, word), word)
    if (!('email' in found)) throw error
    return found
  }
}
