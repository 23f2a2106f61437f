import { type LinkedAccount, labelOf, nameOf } from '../../flows/link/accounts.ts'
import { refreshLink } from '../../flows/link/refresh.ts'
import { removeLink } from '../../flows/link/remove.ts'
import { relativeTime } from '../../output/time.ts'
import { linkForm } from '../forms/forms.ts'
import { connectionOf } from '../state/flow-ports.ts'
import { actionItem, attempt, type Conversation, formItem, stay } from './conversation.ts'
import { choose } from './menu.ts'

/** The ways in which the person signs in, and one more. */
export async function linkedAccounts(conversation: Conversation): Promise<void> {
  const { store, terminal } = conversation
  const menu = async () => {
    const accounts = await connectionOf(store).api.social.listAccounts()
    terminal.say(accounts.length === 1 ? '1 linked account.' : `${accounts.length} linked accounts.`)
    const items = accounts.map((account) => ({
      label: `${nameOf(account)}, since ${relativeTime(account.createdAt, Date.now())}`,
      run: () => oneAccount(conversation, account, accounts),
    }))
    return choose(terminal, [...items, formItem(conversation, () => linkForm())], 'Back')
  }
  await attempt(conversation, () => stay(conversation, menu))
}

async function oneAccount(
  conversation: Conversation,
  account: LinkedAccount,
  view: readonly LinkedAccount[],
): Promise<void> {
  const { terminal } = conversation
  const subjects = [account]
  terminal.say(`${labelOf(account)}. Scopes: ${account.scopes.join(' ') || 'none'}.`)
  const items = [
    actionItem(conversation, refreshLink, { subjects }),
    actionItem(conversation, removeLink, { subjects, view }),
  ]
  await choose(terminal, items, 'Back')
}
