import type { Jar } from '../client/jar/jar.ts'
import type { JarEntry } from '../client/jar/path.ts'

/** A jar, and whether its account is the chosen one of its service. */
export type AccountEntry =
  | Extract<JarEntry, { readonly problem: unknown }>
  | (Extract<JarEntry, { readonly account: string }> & { readonly isCurrent: boolean })

/** The accounts kept on this machine for one service: a jar each, and which one is current. */
export interface Accounts {
  /** Of every service. */
  list(): Promise<readonly AccountEntry[]>
  /** The account last signed in to or switched to; else the only one that is signed in. */
  current(): Promise<string | undefined>
  /** Where its jar is. */
  path(account: string): Promise<string>
  /** False for whom nothing can be kept: without opening anything. */
  mayKeep(account: string): Promise<boolean>
  open(account: string): Promise<Jar>
  /** The session token, as the Authorization header takes it. */
  token(account: string): Promise<string | undefined>
  use(account: string): Promise<void>
  /** Makes nobody current, if it was that account. */
  leave(account: string): Promise<void>
  remove(account: string): Promise<void>
  /** Keeps the jar of an account whose address changed; current if it was. */
  rename(account: string, to: string): Promise<void>
}
