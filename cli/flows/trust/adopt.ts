import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { type ListedTrust, listedTrust, type NamedTrust, oneTrust, trustFields } from './trusts.ts'

export const adoptTrust: Flow<NamedTrust, Readonly<Record<never, never>>, OrganizationView, ListedTrust> = {
  command: 'key trust adopt',
  summary: 'Become responsible for a trust rule: its jobs may do what its roles allow and you may',
  title: 'Adopt',
  writes: true,
  needsSession: true,
  subject: oneTrust,
  fields: {},
  call: '/key/trust/adopt',
  answer: trustFields,
  examples: ['site', 'site --org acme'],
  disabledReason: (_, view) => whyNotPermitted(view, 'member:create'),
  run: async (ports, { trust }) => {
    const { api } = await ports.signedIn()
    const adopted = await api.trust.adoptTrust({ trustId: trust.id })
    const isSame = adopted.sponsorId === trust.sponsorId
    return {
      sentence: `You are ${isSame ? 'still ' : ''}responsible for the trust rule ${trust.name}`,
      status: isSame ? 'unchanged' : 'updated',
      resource: listedTrust(adopted),
    }
  },
}
