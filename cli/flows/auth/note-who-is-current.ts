import type { Ports } from '../ports.ts'

/** Where one account is left, it is current: nobody shall find out by what they do as somebody else. */
export async function noteWhoIsCurrent({ kept, server }: Pick<Ports, 'kept' | 'server'>): Promise<readonly string[]> {
  const { origin } = new URL(server)
  const current = (await kept.list()).find((account) => account.isCurrent && account.server === origin)
  return current ? [`Other commands go on as ${current.email}`] : []
}
