import { originOf } from '../../accounts/accounts.ts'
import type { Ports } from '../ports.ts'

/** Where one account is left, it is current: nobody shall find out by what they do as somebody else. */
export async function noteWhoIsCurrent({
  accounts,
  server,
}: Pick<Ports, 'accounts' | 'server'>): Promise<readonly string[]> {
  const current = await accounts.current(originOf(server))
  return current ? [`Other commands go on as ${current.email}`] : []
}
