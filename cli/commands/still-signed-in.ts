import { Option } from 'commander'
import { canonicalEmail, isMachineAddress } from '../../shared/email.ts'
import type { SessionView, User } from '../../shared/entities.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { type AccountAt, accountAt } from '../accounts/accounts.ts'
import type { Context } from '../context.ts'
import type { Done } from '../flows/flow.ts'
import type { Ports } from '../flows/ports.ts'
import { toCliError } from '../output/error-report.ts'
import { flowPortsOf } from './flow-ports.ts'

/** No default of commander's: beside what may not stand with it, it counts only where it was typed. */
export const ifSignedInOption = (): Option =>
  new Option(
    '--if-signed-in <what>',
    'where the account has a session here that lives: replace (default), which ends it and every token taken from it; or skip, which keeps it and asks for nothing',
  ).choices(['replace', 'skip'])

/** The session of that account, else of the current one, where it still lives; from then on it is who commands act as. */
export async function stillSignedIn(context: Context, email: string | undefined): Promise<Done<User> | undefined> {
  const ports = flowPortsOf(context)
  const account = email === undefined ? await ports.current() : accountAt(ports.server, canonicalEmail(email.trim()))
  const kept = account && !isMachineAddress(account.email) ? await ports.accounts.find(account) : undefined
  const view = kept && (await liveSession(ports, kept))
  // Whoever changed the address elsewhere left it: it may be somebody else's by now.
  if (!view || (email !== undefined && view.user.email !== kept.email)) return undefined
  await ports.accounts.choose(kept)
  return { sentence: `Signed in as ${view.user.email} already`, status: 'unchanged', resource: view.user }
}

async function liveSession(ports: Ports, kept: AccountAt): Promise<SessionView | null> {
  try {
    const { api } = await ports.asAccount(kept)
    return await api.session.getSession()
  } catch (error) {
    if (toCliError(error).exitCode === exitCodes.signedOut) return null
    throw error
  }
}
