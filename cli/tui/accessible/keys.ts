import type { MachineKey, TrustRule } from '../../../shared/machine-key.ts'
import { formOf } from '../../flows/form.ts'
import { adoptKey } from '../../flows/key/adopt.ts'
import { createKey } from '../../flows/key/create.ts'
import { createOwnKey } from '../../flows/key/create-own.ts'
import { keyStatus, secretEnd } from '../../flows/key/keys.ts'
import { revokeKey } from '../../flows/key/revoke.ts'
import { rotateKey } from '../../flows/key/rotate.ts'
import { sponsorText } from '../../flows/key/sponsor.ts'
import { type OrganizationView, scopeOf } from '../../flows/org/view.ts'
import { adoptTrust } from '../../flows/trust/adopt.ts'
import { createTrust } from '../../flows/trust/create.ts'
import { deleteTrust } from '../../flows/trust/delete.ts'
import { claimWords, rotatesText } from '../../flows/trust/trusts.ts'
import { roleText } from '../../output/role-text.ts'
import { relativeTime } from '../../output/time.ts'
import { keyDetail } from '../details/key.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { actionItem, attempt, type Conversation, formItem, stay } from './conversation.ts'
import { tellDetail } from './detail.ts'
import { choose, type MenuItem } from './menu.ts'

/** The keys of an organization, or the person's own, and a new one. */
export async function keys(conversation: Conversation, view?: OrganizationView): Promise<void> {
  const { store, terminal } = conversation
  const menu = async () => {
    const asked = view ? { organizationId: view.organization.id } : {}
    const listed = await connectionOf(store).api.key.listKeys(asked)
    terminal.say(listed.length === 1 ? '1 key.' : `${listed.length} keys.`)
    const items = listed.map((key) => ({
      label: lineOf(key),
      run: () => oneKey(conversation, key, view),
    }))
    return choose(terminal, [...items, createItem(conversation, view)], 'Back')
  }
  await attempt(conversation, () => stay(conversation, menu))
}

function createItem(conversation: Conversation, view: OrganizationView | undefined): MenuItem {
  if (!view) return formItem(conversation, () => formOf(createOwnKey, { subjects: [undefined] }))
  return formItem(conversation, () => formOf(createKey, { subjects: [scopeOf(view)], view }))
}

function lineOf(key: MachineKey): string {
  const now = Date.now()
  const status = keyStatus(key, now)
  const isTold = status === 'expired' || status === 'powerless'
  const ends = isTold ? status : `ends ${relativeTime(key.expiresAt, now)}`
  return `${key.name}, ${secretEnd(key)}, ${key.role ? `as ${roleText(key.role)}, ` : ''}${ends}`
}

async function oneKey(conversation: Conversation, key: MachineKey, view: OrganizationView | undefined): Promise<void> {
  const { terminal } = conversation
  tellDetail(terminal, keyDetail(key))
  const subjects = [{ key, org: view?.organization.slug }]
  const items = [
    formItem(conversation, () => formOf(rotateKey, { subjects, view })),
    ...(view ? [actionItem(conversation, adoptKey, { subjects, view })] : []),
    actionItem(conversation, revokeKey, { subjects, view }),
  ]
  await choose(terminal, items, 'Back')
}

/** Whose CI jobs sign in to the organization, and one more. */
export async function trusts(conversation: Conversation, view: OrganizationView): Promise<void> {
  const { store, terminal } = conversation
  const menu = async () => {
    const { id: organizationId } = view.organization
    const rules = await connectionOf(store).api.trust.listTrusts({ organizationId })
    terminal.say(rules.length === 1 ? '1 rule.' : `${rules.length} rules.`)
    const items = rules.map((trust) => ({
      label: `${trust.name}, as ${roleText(trust.role)}`,
      run: () => oneTrust(conversation, trust, view),
    }))
    const creating = formItem(conversation, () => formOf(createTrust, { subjects: [scopeOf(view)], view }))
    return choose(terminal, [...items, creating], 'Back')
  }
  await attempt(conversation, () => stay(conversation, menu))
}

async function oneTrust(conversation: Conversation, trust: TrustRule, view: OrganizationView): Promise<void> {
  conversation.terminal.say(`${trust.name}: tokens of ${trust.issuer} for ${trust.audience}.`)
  conversation.terminal.say(`Claims: ${claimWords(trust).join(', ')}.`)
  conversation.terminal.say(`Responsible: ${sponsorText(trust) ?? ''}. May rotate: ${rotatesText(trust)}.`)
  const subjects = [{ trust, org: view.organization.slug }]
  const items = [
    actionItem(conversation, adoptTrust, { subjects, view }),
    actionItem(conversation, deleteTrust, { subjects, view }),
  ]
  await choose(conversation.terminal, items, 'Back')
}
