import type { Flow, NoFields } from '../flow.ts'
import { type OrganizationView, whyNotEndMachines, whyNotPermitted } from '../org/view.ts'
import { keyCount, keyFields, keySubject, type ListedKey, type NamedKey, toListedKey } from './keys.ts'

export const revokeKey: Flow<NamedKey, NoFields, OrganizationView | undefined, ListedKey> = {
  command: 'key revoke',
  summary: 'Revoke keys; whatever uses them is refused at once',
  title: 'Revoke',
  subject: keySubject,
  fields: {},
  bulk: 'subject',
  call: '/key/revoke',
  answer: keyFields,
  examples: ['deploy', 'postern key list --quiet | postern key revoke - --json'],
  consent: {
    question: (several) => `Revoke ${keyCount(several)}? What uses it is refused at once.`,
    forKeysOnly: true,
  },
  disabledReason: (several, view) => {
    const shared = several.flatMap(({ key }) => (key.organizationId === null ? [] : key))
    return view && whyNotEndMachines(view, shared)
  },
  run: async (context, { key }) => {
    const { api } = await context.signedIn()
    const revoked = await api.key.revokeKey({ keyId: key.id })
    return { sentence: `Revoked the key ${key.name}`, status: 'deleted', resource: toListedKey(revoked, context.now()) }
  },
  doneWith: (several) => `Revoked ${keyCount(several)}`,
}

export const adoptKey: Flow<NamedKey, NoFields, OrganizationView | undefined, ListedKey> = {
  command: 'key adopt',
  summary: 'Become responsible for keys of the organization: each can do what both its roles and yours allow',
  title: 'Adopt',
  subject: keySubject,
  fields: {},
  bulk: 'subject',
  call: '/key/adopt',
  answer: keyFields,
  examples: ['deploy', 'deploy invite --org acme'],
  disabledReason: (several, view) =>
    view && several.every(({ key }) => key.organizationId !== null)
      ? whyNotPermitted(view, 'member:create')
      : 'a key of your own acts as you',
  run: async (context, { key }) => {
    const { api } = await context.signedIn()
    const adopted = await api.key.adoptKey({ keyId: key.id })
    const isSame = adopted.sponsorId === key.sponsorId
    return {
      sentence: `You are ${isSame ? 'still ' : ''}responsible for the key ${key.name}`,
      status: isSame ? 'unchanged' : 'updated',
      resource: toListedKey(adopted, context.now()),
    }
  },
  doneWith: (several) => `You are responsible for ${keyCount(several)}`,
}
