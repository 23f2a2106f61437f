import { canonicalEmail } from '../../../shared/email.ts'
import type { MemberView } from '../../../shared/organization.ts'
import type { Connection } from '../../connect.ts'
import type { Column } from '../../output/cell.ts'
import type { FieldType } from '../../output/json.ts'
import { allMembers } from '../../whole-organization.ts'
import { type Naming, pickOne } from '../candidates.ts'

/** A member with who it is; its roles by that name. */
export type ListedMember = Required<Omit<MemberView, 'role' | 'teamId' | 'user'>> &
  Omit<MemberView['user'], 'id'> & { readonly roles: readonly string[]; readonly teamId: string | null }

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
} satisfies Record<keyof ListedMember, FieldType>

export const memberColumns: readonly Column<ListedMember>[] = [
  { header: 'ID', value: ({ id }) => id, isWhole: true },
  { header: 'Email', value: ({ email }) => email },
  { header: 'Name', value: ({ name }) => name },
  { header: 'Roles', value: ({ roles }) => roles },
  { header: 'Since', value: ({ createdAt }) => createdAt },
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

const naming: Naming<ListedMember> = {
  kind: 'member',
  ways: [
    ({ id, userId }, word) => id === word || userId === word,
    ({ email }, word) => email === canonicalEmail(word),
    ({ name }, word) => name === word,
  ],
  describe: ({ id, email, name }) => `${id}  ${email}  ${name}`,
  list: 'See them: postern member list',
}

export const pickMember = (members: readonly ListedMember[], word: string): ListedMember =>
  pickOne(members, word, naming)

/** All members, page by page; the organization is the active one where none is named. */
export async function listAllMembers({ api }: Connection, organizationId: string | undefined): Promise<ListedMember[]> {
  return (await allMembers(api, organizationId)).map(listedMember)
}
