import type { Flow } from '../flow.ts'
import { type OrganizationView, whyNotPermitted } from '../org/view.ts'
import { type ListedTrust, listedTrust, type NamedTrust, oneTrust, trustFields } from './trusts.ts'

export const deleteTrust: Flow<NamedTrust, Readonly<Record<never, never>>, OrganizationView, ListedTrust> = {
  command: 'key trust delete',
  summary: 'Let those CI jobs sign in no longer; the sessions that they have end at once',
  title: 'Trust no longer',
  writes: true,
  needsSession: true,
  subject: oneTrust,
  fields: {},
  call: '/key/trust/delete',
  answer: trustFields,
  examples: ['site', 'site --yes'],
  consent: { question: ([one]) => `Delete the trust rule ${one?.trust.name}? Its jobs are signed out at once.` },
  disabledReason: (_, view) => whyNotPermitted(view, 'member:delete'),
  run: async (ports, { trust }) => {
    const { api } = await ports.signedIn()
    const resource = listedTrust(await api.trust.deleteTrust({ trustId: trust.id }))
    return { sentence: `Deleted the trust rule ${trust.name}`, status: 'deleted', resource }
  },
}
