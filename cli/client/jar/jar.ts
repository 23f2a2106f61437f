import { dirname } from 'node:path'
import type { Impersonation, Jar } from '../../accounts/accounts.ts'
import { LocalStateError } from '../errors.ts'
import { type LockOptions, withLock } from '../lock.ts'
import { emptyJar, isSignedIn, isToken, type JarContent, liveCookies } from './content.ts'
import { parseCookieHeader, readSetCookies, writeCookieHeader } from './cookies.ts'
import { checkNotWritableByOthers, preparePrivateFolder, removePrivate, writePrivate } from './file.ts'
import { clearedJar, mergeAnswer } from './merge.ts'
import { loadJar } from './path.ts'

interface JarOptions {
  readonly lock?: LockOptions
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** Opens a jar. A missing file counts as an empty jar and is created with the first change. */
export async function openJar(file: string, origin: string, email: string, options: JarOptions = {}): Promise<Jar> {
  for (const folder of [stateFolder(file), dirname(file)]) await checkNotWritableByOthers(folder)
  const jar = new FileJar(file, origin, email, options)
  await jar.reload()
  return jar
}

/** Deletes a jar's file, even an unreadable one. */
export async function removeJar(file: string): Promise<void> {
  await preparePrivateFolder(dirname(file))
  await withLock(file, {}, () => removePrivate(file))
}

class FileJar implements Jar {
  readonly file: string
  readonly origin: string
  readonly email: string
  readonly #lock: LockOptions
  readonly #now: () => number
  #content: JarContent
  #turn: Promise<unknown> = Promise.resolve()

  constructor(file: string, origin: string, email: string, options: JarOptions) {
    this.file = file
    this.origin = origin
    this.email = email
    this.#lock = options.lock ?? {}
    this.#now = options.now ?? Date.now
    this.#content = emptyJar(origin, email)
  }

  async cookieHeader(url: string): Promise<string> {
    return this.#isOwn(url) ? writeCookieHeader(url, liveCookies(this.#content, this.#now())) : ''
  }

  async store(url: string, setCookies: readonly string[], sent?: string): Promise<readonly string[]> {
    if (setCookies.length === 0 || !this.#isOwn(url)) return []
    const receivedAt = this.#now()
    const { cookies, refused } = await readSetCookies(url, setCookies, receivedAt)
    if (cookies.length === 0) return refused
    const answer = { cookies, receivedAt, ...(sent === undefined ? {} : { sent: parseCookieHeader(sent) }) }
    await this.#update((old) => mergeAnswer(old, { ...answer, now: this.#now() }))
    return refused
  }

  token(): string | undefined {
    return this.#content.token
  }

  async setToken(token: string | undefined): Promise<void> {
    checkToken(token)
    await this.#update((old) => (old.token === token ? old : { ...old, token }))
  }

  async replaceSession(token: string): Promise<void> {
    checkToken(token)
    await this.#update((old) => ({ ...clearedJar(old, this.#now()), token }))
  }

  impersonation(): Impersonation | undefined {
    return this.#content.impersonation
  }

  async impersonate(wanted: Impersonation): Promise<Impersonation> {
    checkToken(wanted.token)
    let acting = wanted
    await this.#update((old) => {
      acting = old.impersonation ?? wanted
      return old.impersonation ? old : { ...old, impersonation: wanted }
    })
    return acting
  }

  async endImpersonation(held?: Impersonation): Promise<Impersonation | undefined> {
    let left: Impersonation | undefined
    await this.#update((old) => {
      left = held && old.impersonation?.token !== held.token ? old.impersonation : undefined
      return old.impersonation === left ? old : { ...old, impersonation: left }
    })
    return left
  }

  async clear(): Promise<void> {
    await this.#update((old) => clearedJar(old, this.#now()))
  }

  async checkWritable(): Promise<void> {
    // The current account is stored in that folder after the service has answered.
    await preparePrivateFolder(stateFolder(this.file))
    await this.#update((old) => old)
  }

  async reload(): Promise<boolean> {
    const before = this.#sendable()
    this.#content = await this.#read()
    return this.#sendable() !== before
  }

  isSignedIn(): boolean {
    return isSignedIn(this.#content, this.#now())
  }

  // Serializes changes within this process, so that they do not wait for each other at the lock.
  #update(change: (old: JarContent) => JarContent): Promise<void> {
    const turn = this.#turn.then(() => this.#updateFile(change))
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #updateFile(change: (old: JarContent) => JarContent): Promise<void> {
    await preparePrivateFolder(dirname(this.file))
    await withLock(this.file, this.#lock, async () => {
      const old = await this.#read()
      const next = change(old)
      if (next !== old) await writePrivate(this.file, textOf(next, this.#now()))
      this.#content = next
    })
  }

  async #read(): Promise<JarContent> {
    const content = (await loadJar(this.file)) ?? emptyJar(this.origin, this.email)
    const isMine = content.origin === this.origin && content.account.toLowerCase() === this.email.toLowerCase()
    if (isMine) return content
    throw new LocalStateError(
      `${this.file} belongs to ${content.account} at ${content.origin}, not to ${this.email} at ${this.origin}`,
      'Remove the file, then sign in again',
    )
  }

  #isOwn(url: string): boolean {
    return new URL(url).origin === this.origin
  }

  #sendable(): string {
    const cookies = liveCookies(this.#content, this.#now()).map(({ key, path, value }) => [key, path, value])
    return JSON.stringify([this.#content.token, cookies])
  }
}

/** The state folder that `jarPath` was given. */
const stateFolder = (file: string): string => dirname(dirname(file))

/** Rejects a token that the parser would refuse on the next read. */
function checkToken(token: string | undefined): void {
  if (token !== undefined && !isToken(token))
    throw new LocalStateError('The token has invalid characters', 'Check the file it was read from')
}

const textOf = (content: JarContent, now: number): string =>
  `${JSON.stringify({ ...content, cookies: liveCookies(content, now) }, null, 1)}\n`

/** Moves a jar's content to another account, overwrites the jar there, and deletes the old file. */
export function moveJar(from: string, to: string, account: string): Promise<void> {
  return withLock(from, {}, () =>
    withLock(to, {}, async () => {
      const content = await loadJar(from)
      if (!content) return
      await writePrivate(to, `${JSON.stringify({ ...content, account }, null, 1)}\n`)
      await removePrivate(from)
    }),
  )
}
