import { join } from 'node:path'
import { isSessionKey } from '../client/jar/content.ts'
import { cookiesOf } from '../client/jar/cookies.ts'
import { preparePrivateFolder, readPrivate, writePrivate } from '../client/jar/file.ts'
import { moveJar, openJar, removeJar } from '../client/jar/jar.ts'
import { jarPath, listJars, mayHaveJar } from '../client/jar/path.ts'
import { parseJson } from '../client/json.ts'
import { withLock } from '../client/lock.ts'
import { localStateError } from '../output/cli-error.ts'
import type { AccountAt, Accounts, Impersonation, Jar, RefusedJar, StoredAccount } from './accounts.ts'

/** Refuses a scope that no call requires and no role grants, because it would never have an effect. */
export function accountsOf(stateFolder: string, now: () => number): Accounts {
  const path = ({ origin, email }: AccountAt) => jarPath(stateFolder, origin, email)
  const open = (account: AccountAt) => openJar(path(account), account.origin, account.email, { now })
  const jars = () => listJars(stateFolder, now())
  return {
    ...jarsOf(open),
    ...choosing({ file: join(stateFolder, 'current.json'), path, open, jars }),
    path,
    refused: async () => (await jars()).filter((entry) => 'problem' in entry),
    speaker: async (account) => {
      if (!(await mayHaveJar(stateFolder, account.origin, account.email))) return undefined
      const jar = await open(account)
      return jar.impersonation() ?? (jar.isSignedIn() ? jar : undefined)
    },
  }
}

type Open = Accounts['open']

/** The operations on a single jar. */
const jarsOf = (open: Open) => ({
  open,
  find: async (account: AccountAt) => ((await open(account)).isSignedIn() ? account : undefined),
  token: async (account: AccountAt) => tokenOf(await open(account)),
  adopt: async (account: AccountAt, token: string) => {
    const jar = await open(account)
    await jar.clear()
    await jar.setToken(token)
  },
  impersonation: async (account: AccountAt) => (await open(account)).impersonation(),
  impersonate: async (account: AccountAt, wanted: Impersonation) => (await open(account)).impersonate(wanted),
  endImpersonation: async (account: AccountAt, held: Impersonation) => (await open(account)).endImpersonation(held),
})

interface Places extends Pick<Accounts, 'path' | 'open'> {
  /** The file that records the current accounts. */
  readonly file: string
  readonly jars: () => ReturnType<typeof listJars>
}

/** The operations that also read or change the current account. */
function choosing({ file, path, open, jars }: Places) {
  const change = (changed: (choices: Choices) => Choices) => changeChoices(file, changed)
  const leave = ({ origin, email }: AccountAt) =>
    change(({ [origin]: chosen, ...rest }) =>
      chosen === undefined || chosen === email ? rest : { ...rest, [origin]: chosen },
    )
  return {
    list: async () => marked((await jars()).filter(isReadable), await readChoices(file)),
    current: async (origin: string) => {
      const email = (await readChoices(file))[origin] ?? onlyOne((await jars()).filter(isReadable), origin)
      return email === undefined ? undefined : { origin, email }
    },
    choose: ({ origin, email }: AccountAt) => change((choices) => ({ ...choices, [origin]: email })),
    forget: async (account: AccountAt) => {
      await (await open(account)).clear()
      await leave(account)
    },
    remove: async (account: AccountAt) => {
      await removeJar(path(account))
      await leave(account)
    },
    rename: async ({ origin, email }: AccountAt, to: string) => {
      if (to === email) return
      await moveJar(path({ origin, email }), path({ origin, email: to }), to)
      await change((choices) => (choices[origin] === email ? { ...choices, [origin]: to } : choices))
    },
  }
}

type Choices = Readonly<Record<string, string>>
type JarEntry = Omit<StoredAccount, 'isCurrent'>

const isReadable = (entry: JarEntry | RefusedJar): entry is JarEntry => !('problem' in entry)

const marked = (entries: readonly JarEntry[], choices: Choices): readonly StoredAccount[] =>
  entries.map((entry) => ({
    ...entry,
    isCurrent: (choices[entry.origin] ?? onlyOne(entries, entry.origin)) === entry.email,
  }))

async function tokenOf(jar: Jar): Promise<string | undefined> {
  const cookies = cookiesOf(await jar.cookieHeader(`${jar.origin}/`))
  return jar.token() ?? [...cookies].find(([name]) => isSessionKey(name))?.[1]
}

function onlyOne(entries: readonly JarEntry[], origin: string): string | undefined {
  const here = entries.filter((entry) => entry.origin === origin && entry.isSignedIn)
  return here.length === 1 ? here[0]?.email : undefined
}

async function readChoices(file: string): Promise<Choices> {
  const text = await readPrivate(file)
  if (text === undefined) return {}
  try {
    const entries = Object.entries(Object(parseJson(text)))
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch (cause) {
    throw localStateError(`${file} is damaged`, 'Remove it, then choose again: postern auth switch ACCOUNT', cause)
  }
}

async function changeChoices(file: string, change: (choices: Choices) => Choices): Promise<void> {
  await preparePrivateFolder(join(file, '..'))
  await withLock(file, {}, async () => {
    const old = await readChoices(file)
    const next = change(old)
    if (JSON.stringify(next) !== JSON.stringify(old)) await writePrivate(file, `${JSON.stringify(next, null, 1)}\n`)
  })
}
