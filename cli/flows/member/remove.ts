import type { MemberView } from '../../../shared/organization.ts'
import { type Flow, flag } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { ifAllowed } from '../if-answered.ts'
import { chosenOrganizationId } from '../org/organizations.ts'
import { type OrganizationView, whyNotPermitted, whyNotRemove } from '../org/view.ts'
import {
  findMembers,
  type MachineFate,
  memberAddresses,
  memberCount,
  memberFields,
  type NamedMember,
  userArgument,
  wordsForMember,
} from './members.ts'

/** Finds members together with the keys and trust rules that each is responsible for. */
async function findWithMachines(
  context: FlowContext,
  { keys }: { readonly keys?: string | undefined },
): Promise<(word: string | undefined) => NamedMember> {
  const [find, machines] = await Promise.all([findMembers(context), machinesOf(context)])
  return (word) => {
    const named = find(word)
    const owned = machines.filter(({ sponsorId }) => sponsorId === named.member.userId)
    return { ...named, machines: owned.map(({ label }) => label), ...fateOf(keys) }
  }
}

const fateOf = (keys: string | undefined): { readonly fate?: MachineFate } =>
  keys === 'revoke' || keys === 'adopt' ? { fate: keys } : {}

/** Empty for callers who cannot list them, and so cannot remove anybody either. */
async function machinesOf(context: FlowContext): Promise<readonly { label: string; sponsorId: string | null }[]> {
  const { api } = await context.signedIn()
  const organizationId = await chosenOrganizationId(context)
  if (organizationId === undefined) return []
  const asked = [api.key.listKeys({ organizationId }), api.trust.listTrusts({ organizationId })] as const
  const [keys, rules] = (await ifAllowed(Promise.all(asked))) ?? [[], []]
  return [
    ...keys.map(({ name, sponsorId }) => ({ label: `key ${name}`, sponsorId })),
    ...rules.map(({ name, sponsorId }) => ({ label: `trust rule ${name}`, sponsorId })),
  ]
}

/** The part of a question about the keys of removed members; empty if there are none. */
export function machinesText(several: readonly NamedMember[]): string {
  const isKnown = several.every(({ machines }) => machines !== undefined)
  const names = several.flatMap(({ machines = [] }) => machines)
  if (isKnown && names.length === 0) return ''
  const what = isKnown ? names.join(', ') : 'the keys and trust rules that they are responsible for'
  const fate = several[0]?.fate
  if (fate === 'revoke') return ` This revokes ${what}.`
  if (fate === 'adopt') return ` This makes you responsible for ${what}.`
  const ways = isKnown ? ' --keys revoke ends them, --keys adopt makes you responsible.' : ''
  return ` Then nobody is responsible for ${what}: they stop working until somebody adopts them.${ways}`
}

/** What happened to the keys and trust rules. */
function machinesNote(machines: number, fate: MachineFate | undefined): readonly string[] {
  if (machines === 0) return []
  const what = machines === 1 ? '1 key or trust rule' : `${machines} keys and trust rules`
  if (fate === 'revoke') return [`Revoked ${what} of theirs`]
  if (fate === 'adopt') return [`You are responsible for ${what} of theirs`]
  return [`${what} of theirs no longer work: see key list and key trust list, then adopt or revoke them`]
}

const fields = {
  keys: {
    kind: 'choice',
    label: 'Their keys',
    flag: '--keys <what>',
    summary:
      'revoke or adopt the keys and trust rules that they are responsible for; default: keep them, unusable until adopted',
    key: 'keys',
    values: ['revoke', 'adopt'],
    isOptional: true,
    onlyInCommands: true,
  },
} as const

type RemoveMember = Flow<NamedMember, typeof fields, OrganizationView, MemberView>

export const removeMember: RemoveMember = {
  command: 'member remove',
  summary: 'Remove members from the organization; removing an owner needs --confirm ADDRESS, --yes is not enough',
  title: 'Remove',
  subject: {
    argument: '<user...>',
    summary: userArgument,
    key: 'memberIdOrEmail',
    finder: findWithMachines,
    words: (named) => {
      const { word, flags = [] } = wordsForMember(named)
      return { word, flags: [...flags, ...flag('keys', named.fate)] }
    },
    complete: memberAddresses,
  },
  fields,
  bulk: 'subject',
  call: '/organization/remove-member',
  answer: memberFields,
  examples: [
    'ben@example.com',
    'ben@example.com --keys adopt',
    'boss@example.com --confirm boss@example.com',
    '- --org acme --yes --json < addresses.txt',
  ],
  consent: {
    question: (several) => `Remove ${memberCount(several)} from the organization?${machinesText(several)}`,
    typed: { what: 'address', word: ownersWord, always: true, forSome: true },
  },
  disabledReason: (several, view) =>
    (several[0]?.fate === 'adopt' ? whyNotPermitted(view, 'member:create') : undefined) ??
    whyNotRemove(
      view,
      several.map(({ member }) => member),
    ),
  run: async (context, { member, fate }) => {
    const { api } = await context.signedIn()
    const { id: memberIdOrEmail, organizationId } = member
    const asked = { memberIdOrEmail, organizationId, ...(fate && { keys: fate }) }
    const { machines } = await api.member.removeMember(asked)
    const notes = machinesNote(machines, fate)
    return { sentence: `Removed ${member.user.email}`, status: 'deleted', resource: member, notes }
  },
  doneWith: (several) => `Removed ${memberCount(several)}`,
}

/** Removing owners needs a typed word: the address of one, or the slug of the organization for several. */
function ownersWord(several: readonly NamedMember[]): string | undefined {
  const [owner, ...others] = several.filter(({ isOwner }) => isOwner)
  return others.length > 0 ? owner?.org : owner?.member.user.email
}

/** For a menu that decides in advance what happens to their keys. */
export const removeMemberWith = (fate: MachineFate): RemoveMember => ({
  ...removeMember,
  title: fate === 'revoke' ? 'Remove, and revoke their keys' : 'Remove, and adopt their keys',
})
