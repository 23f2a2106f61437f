import { type AccountRef, originOf, type StoredAccount } from '../../accounts/accounts.ts'
import { notFoundError } from '../../output/cli-error.ts'
import type { Flow, NoFields } from '../flow.ts'
import type { FlowContext } from '../flow-context.ts'
import { signInLine } from './sign-in-line.ts'

interface SwitchTarget extends AccountRef {
  /** Already the current identity, so there is nothing to switch. */
  readonly isActing?: boolean
}

export const switchAccount: Flow<
  SwitchTarget,
  NoFields,
  unknown,
  { readonly account: string; readonly server: string }
> = {
  command: 'auth switch',
  summary: 'Make another stored account the current one',
  title: 'Switch to this account',
  isLocal: true,
  isForAnyone: true,
  globalFlags: ['--url'],
  subject: {
    argument: '<account>',
    summary: 'its email address',
    finder: async (context) => {
      const kept = await keptHere(context)
      return (word = '') => pick(kept, word, context.server)
    },
    words: ({ email }) => ({ word: email }),
    complete: (context) => keptAddresses(context),
  },
  fields: {},
  answer: { account: 'text', server: 'text' },
  examples: ['alice@example.com'],
  run: async (context, target) => {
    const { email: account, origin: server, isActing } = target
    const resource = { account, server }
    if (isActing) return { sentence: `${account} is current already`, status: 'unchanged', resource }
    await context.accounts.choose(target)
    return { sentence: `Switched to ${account}`, status: 'updated', resource, leadsHome: true }
  },
}

export const keptAddresses = async (context: FlowContext): Promise<readonly string[]> =>
  (await keptHere(context)).map(({ email }) => email)

export async function keptHere({
  accounts,
  server,
}: Pick<FlowContext, 'accounts' | 'server'>): Promise<readonly StoredAccount[]> {
  const here = originOf(server)
  return (await accounts.list()).filter(({ origin }) => origin === here)
}

function pick(kept: readonly StoredAccount[], word: string, server: string): SwitchTarget {
  const found = kept.find(({ email }) => email.toLowerCase() === word.trim().toLowerCase())
  if (found) return { ...found, isActing: found.isCurrent }
  const known = kept.map(({ email }) => email).join(', ')
  throw notFoundError(`No account ${word} is kept for ${originOf(server)}`, known ? `Kept: ${known}` : signInLine(word))
}

/** If a single account is left, it becomes current. A note says so before people act as it unawares. */
export async function noteCurrentAccount({
  accounts,
  server,
}: Pick<FlowContext, 'accounts' | 'server'>): Promise<readonly string[]> {
  const chosen = await accounts.current(originOf(server))
  // One whose session is over stays chosen, but no command can act as it.
  const current = chosen && (await accounts.find(chosen))
  return current ? [`Other commands act as ${current.email}`] : []
}
