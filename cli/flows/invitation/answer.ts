import { exitCodes } from '../../../shared/exit-codes.ts'
import type { InvitationView } from '../../../shared/organization.ts'
import { CliError, changedError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import { commandWith } from '../command-line.ts'
import { sendVerification } from '../email/addresses.ts'
import type { Flow, NoFields, Subject } from '../flow.ts'
import type { FlowConnection } from '../flow-context.ts'
import {
  invitationFields,
  invitationId,
  invitingSlugs,
  type ListedInvitation,
  needsVerification,
  orById,
  pickReceived,
  toListedInvitation,
} from './invitations.ts'

/** An invitation to the signed-in user. If it is not in their list, only the id is known. */
type ReceivedInvitation = Partial<InvitationView> & Pick<InvitationView, 'id'>

/** An id that is not in the user's list is sent anyway: the service's refusal says why. */
const received: Subject<ReceivedInvitation> = {
  argument: '<invitation...>',
  summary: 'id, or slug or name of the organization',
  key: 'invitationId',
  finder: async (context) => {
    const { api } = await context.signedIn()
    const list = await listReceived(api)
    return (word = '') => pickOrId(list, word)
  },
  words: ({ id }) => ({ word: id }),
  name: ({ organizationName }) => organizationName,
  complete: invitingSlugs,
}

const facts = {
  subject: received,
  fields: {},
  bulk: 'subject',
  answersOne: true,
  answer: invitationFields,
} as const

export const acceptInvitation: Flow<ReceivedInvitation, NoFields, unknown, ListedInvitation> = {
  ...facts,
  command: 'invitation accept',
  summary: 'Accept invitations to the signed-in user; the organization becomes the active one',
  title: 'Accept',
  call: '/organization/accept-invitation',
  examples: ['acme', 'acme globex', 'vF3xJ9qWm2LkR7tYp0Zs8CdB5nHg1aEu'],
  run: async (context, one) => {
    const { api } = await context.signedIn()
    const accepting = api.invitation.acceptInvitation({ invitationId: one.id })
    const { invitation } = await accepting.catch((error: unknown) => explain(api, one, error))
    const resource = toListedInvitation({ ...one, ...invitation }, context.now())
    const sentence = `Joined ${titleOf(one)} as ${resource.roles.join(', ')}, the active organization now`
    return { sentence, status: 'updated', resource }
  },
}

export const rejectInvitation: Flow<ReceivedInvitation, NoFields, unknown, ListedInvitation> = {
  ...facts,
  command: 'invitation reject',
  summary: 'Reject invitations to the signed-in user',
  title: 'Reject',
  call: '/organization/reject-invitation',
  examples: ['acme', 'acme globex'],
  consent: {
    question: (several) => `Reject the invitation to ${several.map(titleOf).join(', ')}?`,
    forKeysOnly: true,
  },
  run: async (context, one) => {
    const { api } = await context.signedIn()
    const { invitation } = await api.invitation.rejectInvitation({ invitationId: one.id })
    const resource = toListedInvitation({ ...one, ...invitation }, context.now())
    return { sentence: `Rejected the invitation to ${titleOf(one)}`, status: 'updated', resource }
  },
}

/**
 * Finds the joined organization by its name. With only an id, it is the organization joined last, which has become the
 * active one.
 */
async function findJoined(api: FlowConnection['api'], { id, organizationId }: ReceivedInvitation) {
  const sent = api.invitation.listInvitations({ status: 'accepted' }).catch(() => [])
  const [mine, accepted] = await Promise.all([api.organization.list().catch(() => []), sent])
  const joinedId = organizationId ?? accepted.find((invitation) => invitation.id === id)?.organizationId
  return mine.find((one) => one.id === joinedId || one.slug === id.toLowerCase() || one.name === id)
}

/** The service does not find an accepted invitation. A user who has joined its organization is told so. */
async function explain(api: FlowConnection['api'], one: ReceivedInvitation, error: unknown): Promise<never> {
  const refusal = toCliError(error)
  if (refusal.code !== 'INVITATION_NOT_FOUND') throw error
  const joined = await findJoined(api, one)
  if (!joined) throw error
  // Uses the slug: a name can contain anything, even text that looks like a command to copy.
  const hint = `You are in ${joined.slug} already: an invitation can be accepted only once`
  throw changedError(refusal, { hint })
}

const titleOf = ({ organizationName = 'the organization' }: ReceivedInvitation): string => organizationName

/** The list, or why it is not available. */
type InvitationsOrError = readonly InvitationView[] | CliError

/**
 * The service shows no list to an unverified address, nor to a machine key. Some services take the id from the mail of
 * an unverified one all the same.
 */
const listReceived = (api: FlowConnection['api']): Promise<InvitationsOrError> =>
  api.invitation.listUserInvitations().catch((error: unknown) => {
    const refusal = toCliError(error)
    if (refusal.exitCode !== exitCodes.forbidden) throw error
    if (!needsVerification(refusal.code)) return refusal
    return changedError(refusal, { hint: `Verify your address: ${commandWith(sendVerification)}` })
  })

function pickOrId(list: InvitationsOrError, word: string): ReceivedInvitation {
  if (list instanceof CliError) {
    if (invitationId.test(word)) return { id: word }
    throw list
  }
  return orById(() => pickReceived(list, word), word)
}
