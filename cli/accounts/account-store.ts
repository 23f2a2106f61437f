import { join } from 'node:path'
import { machineAddress } from '../../shared/email.ts'
import { isSessionCookie } from '../client/jar/content.ts'
import { parseCookieHeader } from '../client/jar/cookies.ts'
import { preparePrivateFolder, readPrivate, writePrivate } from '../client/jar/file.ts'
import { moveJar, openJar, removeJar } from '../client/jar/jar.ts'
import { jarPath, listJars, mightHaveJar } from '../client/jar/path.ts'
import { parseJson } from '../client/json.ts'
import { withLock } from '../client/lock.ts'
import { localStateError } from '../output/cli-error.ts'
import type { AccountRef, Accounts, Impersonation, Jar, RefusedJar, StoredAccount } from './accounts.ts'

/** The accounts kept in a state folder. The clock tells which cookies have expired. */
export function createAccountStore(stateFolder: string, now: () => number): Accounts {
  const path = ({ origin, email }: AccountRef) => jarPath(stateFolder, origin, email)
  const open = (account: AccountRef) => openJar(path(account), account.origin, account.email, { now })
  const jars = () => listJars(stateFolder, now())
  return {
    ...jarOperations(open),
    ...currentAccountOperations({ file: join(stateFolder, 'current.json'), path, open, jars }),
    path,
    refused: async () => (await jars()).filter((entry) => 'problem' in entry),
    credentials: async (account) => {
      if (!(await mightHaveJar(stateFolder, account.origin, account.email))) return undefined
      const jar = await open(account)
      return jar.impersonation() ?? (jar.isSignedIn() ? jar : undefined)
    },
  }
}

/** The operations on a single jar. */
const jarOperations = (open: Accounts['open']) => ({
  open,
  find: async (account: AccountRef) => ((await open(account)).isSignedIn() ? account : undefined),
  token: async (account: AccountRef) => tokenOf(await open(account)),
  checkWritable: async (origin: string) => (await open({ origin, email: machineAddress('any') })).checkWritable(),
  adopt: async (account: AccountRef, token: string) => (await open(account)).replaceSession(token),
  impersonation: async (account: AccountRef) => (await open(account)).impersonation(),
  impersonate: async (account: AccountRef, wanted: Impersonation) => (await open(account)).impersonate(wanted),
  endImpersonation: async (account: AccountRef, held: Impersonation) => (await open(account)).endImpersonation(held),
})

interface AccountFiles extends Pick<Accounts, 'path' | 'open'> {
  /** The file that records the current accounts. */
  readonly file: string
  readonly jars: () => ReturnType<typeof listJars>
}

/** The operations that also read or change the current account. */
function currentAccountOperations({ file, path, open, jars }: AccountFiles) {
  const change = (changed: (choices: CurrentEmails) => CurrentEmails) => changeChoices(file, changed)
  const leave = ({ origin, email }: AccountRef) =>
    change(({ [origin]: chosen, ...rest }) =>
      chosen === undefined || chosen === email ? rest : { ...rest, [origin]: chosen },
    )
  return {
    list: async () => withCurrent((await jars()).filter(isReadable), await readChoices(file)),
    current: async (origin: string) => {
      const email = (await readChoices(file))[origin] ?? onlyOne((await jars()).filter(isReadable), origin)
      return email === undefined ? undefined : { origin, email }
    },
    choose: ({ origin, email }: AccountRef) => change((choices) => ({ ...choices, [origin]: email })),
    forget: async (account: AccountRef) => {
      await (await open(account)).clear()
      await leave(account)
    },
    remove: async (account: AccountRef) => {
      await removeJar(path(account))
      await leave(account)
    },
    rename: async ({ origin, email }: AccountRef, to: string) => {
      if (to === email) return
      await moveJar(path({ origin, email }), path({ origin, email: to }), to)
      await change((choices) => (choices[origin] === email ? { ...choices, [origin]: to } : choices))
    },
  }
}

type CurrentEmails = Readonly<Record<string, string>>
type JarEntry = Omit<StoredAccount, 'isCurrent'>

const isReadable = (entry: JarEntry | RefusedJar): entry is JarEntry => !('problem' in entry)

const withCurrent = (entries: readonly JarEntry[], choices: CurrentEmails): readonly StoredAccount[] =>
  entries.map((entry) => ({
    ...entry,
    isCurrent: (choices[entry.origin] ?? onlyOne(entries, entry.origin)) === entry.email,
  }))

async function tokenOf(jar: Jar): Promise<string | undefined> {
  const cookies = parseCookieHeader(await jar.cookieHeader(`${jar.origin}/`))
  return jar.token() ?? [...cookies].find(([name]) => isSessionCookie(name))?.[1]
}

function onlyOne(entries: readonly JarEntry[], origin: string): string | undefined {
  const here = entries.filter((entry) => entry.origin === origin && entry.isSignedIn)
  return here.length === 1 ? here[0]?.email : undefined
}

async function readChoices(file: string): Promise<CurrentEmails> {
  const text = await readPrivate(file)
  if (text === undefined) return {}
  try {
    const entries = Object.entries(Object(parseJson(text)))
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  } catch (cause) {
    throw localStateError(`${file} is damaged`, 'Remove it, then choose again: postern auth switch ACCOUNT', cause)
  }
}

async function changeChoices(file: string, change: (choices: CurrentEmails) => CurrentEmails): Promise<void> {
  await preparePrivateFolder(join(file, '..'))
  await withLock(file, {}, async () => {
    const old = await readChoices(file)
    const next = change(old)
    if (JSON.stringify(next) !== JSON.stringify(old)) await writePrivate(file, `${JSON.stringify(next, null, 1)}\n`)
  })
}
