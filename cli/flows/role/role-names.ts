import type { Ports } from '../ports.ts'

export async function roleNames(ports: Ports): Promise<readonly string[]> {
  const { api } = await ports.signedIn()
  return (await api.organization.listRoles()).map(({ role }) => role)
}
