import { sameWords } from '../../output/words.ts'
import { rolesProblem } from '../field-checks.ts'
import type { Flow } from '../flow.ts'
import { inverseOf } from '../inverse.ts'
import {
  areLastOwners,
  grantableRoles,
  isOwner,
  lastOwner,
  type OrganizationView,
  roleNames,
  whyNotSetRoles,
} from '../org/view.ts'
import {
  currentMember,
  findMembers,
  type ListedMember,
  memberAddresses,
  memberCount,
  memberFields,
  type NamedMember,
  toListedMember,
  userArgument,
  wordsForMember,
} from './members.ts'

const fields = {
  roles: {
    kind: 'list',
    label: 'Roles',
    argument: '<role...>',
    summary: 'roles of the service, see role list',
    key: 'role',
    complete: roleNames,
  },
} as const

export const setRoles: Flow<NamedMember, typeof fields, OrganizationView, ListedMember> = {
  command: 'member role set',
  summary: 'Replace the roles of members',
  title: 'Change roles',
  subject: {
    argument: '<user>',
    summary: userArgument,
    key: 'memberId',
    finder: findMembers,
    words: wordsForMember,
    complete: memberAddresses,
  },
  fields,
  bulk: 'subject',
  answersOne: true,
  call: '/organization/update-member-role',
  answer: memberFields,
  examples: [
    'ben@example.com admin',
    'ben@example.com admin member',
    '- member --json < addresses.txt',
    '--csv roles.csv --dry-run',
  ],
  note: () =>
    'The chosen roles replace the current ones. They also limit the keys and trust rules that this member is responsible for.',
  disabledReason: (several, view) => whyNotSetRoles(view, people(several)),
  initial: (several) => ({ roles: several.length === 1 ? rolesOf(several[0]) : [] }),
  options: (_, view) => ({ roles: grantableRoles(view) }),
  check: ({ roles = [] }, several, view) => ({ roles: problemOf(roles, several, view) }),
  run: async (context, { member }, { roles }) => {
    const { api } = await context.signedIn()
    const { id: memberId, organizationId } = member
    const { role } = await api.member.updateMemberRole({ memberId, role: [...roles], organizationId })
    const resource = toListedMember({ ...member, role })
    const isSame = sameWords(resource.roles, rolesOf({ member }))
    const sentence = `${member.user.email} is ${resource.roles.join(', ')}`
    return { sentence, status: isSame ? 'unchanged' : 'updated', resource }
  },
  inverse: ({ subject, resource }) =>
    inverseOf(setRoles, {
      subject: { ...subject, member: { ...subject.member, role: [...resource.roles] } },
      values: { roles: rolesOf(subject) },
      what: `The roles of ${subject.member.user.email}`,
      isUnchanged: async (context) => sameWords(rolesOf(await currentMember(context, subject)), resource.roles),
    }),
  doneWith: (several, { roles }) => `Roles of ${memberCount(several)}: ${roles.join(', ')}`,
}

const people = (several: readonly NamedMember[]) => several.map(({ member }) => member)
const rolesOf = (one: Pick<NamedMember, 'member'> | undefined): readonly string[] => one?.member.role ?? []

function problemOf(roles: readonly string[], several: readonly NamedMember[], view: OrganizationView | undefined) {
  const isKept = !view || !areLastOwners(view, people(several)) || isOwner(view, roles)
  return rolesProblem(roles) ?? (isKept ? undefined : `Role owner: ${lastOwner}`)
}
