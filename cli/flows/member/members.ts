import { canonicalEmail } from '../../../shared/email.ts'
import type { MemberView } from '../../../shared/organization.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import { type Naming, pickOne } from '../candidates.ts'
import { flag } from '../command-line.ts'
import type { WordAndFlags } from '../flow.ts'
import { organizationIdOf } from '../org/organizations.ts'
import { allMembers } from '../org/whole-organization.ts'
import type { Ports } from '../ports.ts'
import { ownerRolesOf } from '../role/owner-roles.ts'

/** A member together with its user; its role text as a list. */
export interface ListedMember {
  readonly id: string
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly image: string | null
  readonly roles: readonly string[]
  readonly organizationId: string
  readonly teamId: string | null
  readonly createdAt: Date
}

export const memberFields = {
  id: 'text',
  userId: 'text',
  email: 'text',
  name: 'text',
  image: 'text?',
  roles: 'list',
  organizationId: 'text',
  teamId: 'text?',
  createdAt: 'date',
} as const satisfies Record<keyof ListedMember, FieldType>

export const memberColumns: readonly Column<ListedMember>[] = [
  { header: 'Email', value: ({ email }) => email },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Roles', value: ({ roles }) => roles },
  { header: 'Since', value: ({ createdAt }) => createdAt },
  { header: 'ID', value: ({ id }) => id, id: 'reference' },
]

export const memberSheet: readonly Column<ListedMember>[] = [
  ...memberColumns,
  { header: 'User', value: ({ userId }) => userId },
  { header: 'Team', value: ({ teamId }) => teamId },
  { header: 'Organization', value: ({ organizationId }) => organizationId },
]

export const listedMember = ({ user, id, role, organizationId, teamId, createdAt }: MemberView): ListedMember => ({
  id,
  userId: user.id,
  email: user.email,
  name: user.name,
  image: user.image,
  roles: role,
  organizationId,
  teamId: teamId ?? null,
  createdAt,
})

export const userArgument = 'member id, user id, e-mail address or unique name'

const naming: Naming<MemberView> = {
  kind: 'member',
  ids: ({ id, userId }) => [id, userId],
  ways: [({ user }, word) => user.email === canonicalEmail(word), ({ user }, word) => user.name === word],
  describe: ({ id, user }) => `${id}  ${user.email}  ${user.name}`,
  list: 'See them: postern member list',
}

export const pickMember = (members: readonly MemberView[], word: string): MemberView => pickOne(members, word, naming)

/** A member, whether they own the organization, and how `--org` names it in a command. */
export interface NamedMember {
  readonly member: MemberView
  readonly isOwner: boolean
  readonly org?: string | undefined
  /** The keys and trust rules that they are responsible for, by name, where that was asked. */
  readonly machines?: readonly string[]
  /** What becomes of those when the member is removed, where a screen says it. */
  readonly fate?: MachineFate
}

/** Without one they stay, and do nothing until somebody adopts them. */
export type MachineFate = 'revoke' | 'adopt'

/** The members of the organization that the ports name, else of the active one. */
export async function membersOf(ports: Ports): Promise<readonly MemberView[]> {
  const { api } = await ports.signedIn()
  return allMembers(api, await organizationIdOf({ api }, ports.organization))
}

export const memberAddresses = async (ports: Ports): Promise<readonly string[]> =>
  (await membersOf(ports)).map(({ user }) => user.email)

/** Looked up among all of them, with what their roles mean at this service. */
export async function findMembers(ports: Ports): Promise<(word: string | undefined) => NamedMember> {
  const { api } = await ports.signedIn()
  const [members, listed] = await Promise.all([membersOf(ports), api.organization.listRoles()])
  const ownerRoles = ownerRolesOf(listed)
  return (word = '') => {
    const member = pickMember(members, word)
    return {
      member,
      isOwner: member.role.some((role) => ownerRoles.includes(role)),
      org: ports.organization,
    }
  }
}

export const wordsForMember = ({ member, org }: NamedMember): WordAndFlags => ({
  word: member.user.email,
  flags: flag('org', org),
})

/** `Ada Lovelace  ada@example.com` */
export const memberLabel = ({ user }: MemberView): string => `${user.name}  ${user.email}`

/** The address of one, the number of several. */
export const memberCount = ([first, ...rest]: readonly MemberView[]): string =>
  rest.length === 0 ? (first?.user.email ?? 'the member') : `${rest.length + 1} members`
