import { toCliError } from '../../output/error-report.ts'
import { chosenIdOf } from '../key/keys.ts'
import type { Ports } from '../ports.ts'
import { findMembers, type MachineFate, type NamedMember } from './members.ts'

/** The same as members are found, with the keys and trust rules that each is responsible for. */
export async function findWithMachines(
  ports: Ports,
  { keys }: { readonly keys?: string | undefined },
): Promise<(word: string | undefined) => NamedMember> {
  const [find, machines] = await Promise.all([findMembers(ports), machinesOf(ports)])
  return (word) => {
    const named = find(word)
    const owned = machines.filter(({ sponsorId }) => sponsorId === named.member.userId)
    return { ...named, machines: owned.map(({ label }) => label), ...fateOf(keys) }
  }
}

const fateOf = (keys: string | undefined): { readonly fate?: MachineFate } =>
  keys === 'revoke' || keys === 'adopt' ? { fate: keys } : {}

/** None for whoever may see none, and so may remove nobody. */
async function machinesOf(ports: Ports): Promise<readonly { label: string; sponsorId: string | null }[]> {
  const { api } = await ports.signedIn()
  const organizationId = await chosenIdOf(ports)
  if (organizationId === undefined) return []
  const asked = [api.key.listKeys({ organizationId }), api.trust.listTrusts({ organizationId })] as const
  const [keys, rules] = await Promise.all(asked).catch((error: unknown) => unlessForbidden(error))
  return [
    ...keys.map(({ name, sponsorId }) => ({ label: `key ${name}`, sponsorId })),
    ...rules.map(({ name, sponsorId }) => ({ label: `trust rule ${name}`, sponsorId })),
  ]
}

function unlessForbidden(error: unknown): [[], []] {
  if (toCliError(error).status !== 403) throw error
  return [[], []]
}

/** What a question says of the keys of those who are removed; nothing where there are none. */
export function machinesText(several: readonly NamedMember[]): string {
  const isKnown = several.every(({ machines }) => machines !== undefined)
  const names = several.flatMap(({ machines = [] }) => machines)
  if (isKnown && names.length === 0) return ''
  const what = isKnown ? names.join(', ') : 'the keys and trust rules that they are responsible for'
  const fate = several[0]?.fate
  if (fate === 'revoke') return ` This revokes ${what}.`
  if (fate === 'adopt') return ` This makes you responsible for ${what}.`
  const ways = isKnown ? ' --keys revoke ends them, --keys adopt makes you responsible.' : ''
  return ` Then nobody is responsible for ${what}: they do nothing until somebody adopts them.${ways}`
}

/** What became of them. */
export function machinesNote(machines: number, fate: MachineFate | undefined): readonly string[] {
  if (machines === 0) return []
  const what = machines === 1 ? '1 key or trust rule' : `${machines} keys and trust rules`
  if (fate === 'revoke') return [`Revoked ${what} of theirs`]
  if (fate === 'adopt') return [`You are responsible for ${what} of theirs`]
  return [`${what} of theirs can do nothing now: see key list and key trust list, then adopt or revoke them`]
}
