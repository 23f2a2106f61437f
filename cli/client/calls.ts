import * as z from 'zod'
import type { Call, CallGroup } from '../../shared/contract/call.ts'
import type { Contract } from '../../shared/contract/index.ts'

// zod's compiled schemas pay off from the second value on, and a command parses one or two.
z.config({ jitless: true })

/** The contract, loaded by noun: building all schemas takes as long as one request. */
export const callGroups: { readonly [G in keyof Contract]: () => Promise<Contract[G]> } = {
  account: () => import('../../shared/contract/account.ts'),
  email: () => import('../../shared/contract/email.ts'),
  password: () => import('../../shared/contract/password.ts'),
  session: () => import('../../shared/contract/session.ts'),
  device: () => import('../../shared/contract/device.ts'),
  link: () => import('../../shared/contract/device-link.ts'),
  organization: () => import('../../shared/contract/organization.ts'),
  member: () => import('../../shared/contract/member.ts'),
  invitation: () => import('../../shared/contract/invitation.ts'),
  team: () => import('../../shared/contract/team.ts'),
  role: () => import('../../shared/contract/role.ts'),
  social: () => import('../../shared/contract/social.ts'),
  support: () => import('../../shared/contract/support.ts'),
  admin: () => import('../../shared/contract/admin.ts'),
  token: () => import('../../shared/contract/token.ts'),
  key: () => import('../../shared/contract/key.ts'),
  clientKey: () => import('../../shared/contract/client-key.ts'),
  trust: () => import('../../shared/contract/trust.ts'),
  webhook: () => import('../../shared/contract/webhook.ts'),
  audit: () => import('../../shared/contract/audit.ts'),
  service: () => import('../../shared/contract/service.ts'),
}

/** Every call of the contract. */
export async function allCalls(): Promise<readonly Call[]> {
  const groups = await Promise.all(Object.values<() => Promise<CallGroup>>(callGroups).map((load) => load()))
  return groups.flatMap((calls) => Object.values<Call>(calls))
}

/** The call at a path that the user typed. Undefined when the contract has none. */
export async function findCall(method: string, path: string): Promise<Call | undefined> {
  return (await allCalls()).find((call) => call.method === method && call.path === path)
}
