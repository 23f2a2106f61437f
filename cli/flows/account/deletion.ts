import type { deleteUser } from '../../../shared/contract/account.ts'
import type { Input, Output } from '../../../shared/contract/call.ts'
import type { FullUser } from '../../../shared/entities.ts'
import { exitCodes } from '../../../shared/exit-codes.ts'
import type { OrganizationName } from '../../../shared/organization.ts'
import { CliError } from '../../output/cli-error.ts'
import { toCliError } from '../../output/error-report.ts'
import type { Consent, Done } from '../flow.ts'
import { openLink } from '../links/mailed-link.ts'
import { deletedSentence, soleMemberNote, soleMemberOrganizations } from '../org/titles.ts'
import type { Ports } from '../ports.ts'
import type { Me } from './me.ts'
import { fullUserFields, type ShownUser, shownUser } from './users.ts'

/** The account, and the organizations that go along with it. */
export interface DeletedAccount extends ShownUser {
  readonly organizations: readonly OrganizationName[]
}

export const deletedFields = { ...fullUserFields, organizations: 'any' } as const

/** Typed, not shown: nobody deletes themselves by a key too many. */
export const deletionConsent: Consent<Me> = {
  question: () => 'Delete your account for good?',
  warning: async (ports) => soleMemberNote(await soleOrganizations(ports)),
  typed: {
    what: 'e-mail address of your account',
    label: 'Your address',
    example: 'alice@example.com',
    isOwnAddress: true,
    word: ([me]) => me?.user.email,
    always: true,
  },
}

/** What a form says before. */
export const deletionNote = ({ user, organizations }: Me): string =>
  [
    `Deletes ${user.email} for good, with its sessions`,
    // Not known yet, or not to be had: then the rule, without names.
    organizations
      ? soleMemberNote(soleMemberOrganizations(organizations))
      : 'Organizations in which nobody else is are deleted along with it',
    'Type the address to confirm it',
  ]
    .filter((sentence) => sentence !== undefined)
    .join('. ')

/** Those in which nobody else is. */
export async function soleOrganizations(ports: Ports): Promise<readonly OrganizationName[]> {
  const { api } = await ports.signedIn()
  return soleMemberOrganizations(await api.organization.list())
}

/** At once, or by a mail that asks for consent, as the service is set up. */
export async function askDeletion(ports: Ports, proof: Input<typeof deleteUser>): Promise<Output<typeof deleteUser>> {
  const { api } = await ports.signedIn()
  return openLink(() => api.account.deleteUser(proof).catch(explain), 'postern account delete')
}

export async function forgetDeleted(
  { accounts, current }: Ports,
  user: FullUser,
  organizations: readonly OrganizationName[] = [],
): Promise<Done<DeletedAccount>> {
  const account = await current()
  if (account) await accounts.remove(account)
  const resource = { ...shownUser(user), organizations }
  return { sentence: deletedSentence(user.email, organizations), status: 'deleted', resource, leadsHome: true }
}

function explain(error: unknown): never {
  const { code, status } = toCliError(error)
  if (code !== 'NOT_FOUND') throw error
  throw new CliError(exitCodes.forbidden, 'This service lets nobody delete their own account', {
    code,
    status,
    hint: 'Ask its owner',
    cause: error,
  })
}
