import type { Context } from '../context.ts'

/** The service cleared nothing here, and the session kept here is worth nothing any more. */
export async function forgetHere(context: Context): Promise<void> {
  const { account } = await context.identity()
  if (account === undefined) return
  await (await context.accounts.open(account)).clear()
  await context.accounts.leave(account)
}

/** Where one account is left, it is current: nobody shall find out by what they do as somebody else. */
export async function tellWhoIsLeft(context: Context): Promise<void> {
  const account = await context.accounts.current()
  if (account !== undefined) context.out.note(`Other commands go on as ${account}`)
}

/** The account is no more, and neither is its jar. */
export async function removeHere(context: Context): Promise<void> {
  const { account } = await context.identity()
  if (account === undefined) return
  await context.accounts.remove(account)
  await context.accounts.leave(account)
}

/** The session goes on under the new address. */
export async function renameHere(context: Context, from: string, to: string): Promise<void> {
  const { account, from: source } = await context.identity()
  if (account === undefined || account === to || account.toLowerCase() !== from) return
  await context.accounts.rename(account, to)
  const isNamed = source !== 'current account' && source !== '--account'
  if (isNamed) context.out.warn(`${source} still names ${account}: change it to ${to}`)
}
