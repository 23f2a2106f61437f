import { join } from 'node:path'
import { isSessionKey } from '../client/jar/content.ts'
import { cookiesOf } from '../client/jar/cookies.ts'
import { preparePrivateFolder, readPrivate, writePrivate } from '../client/jar/file.ts'
import { type Jar, openJar, removeJar } from '../client/jar/jar.ts'
import { moveJar } from '../client/jar/move.ts'
import { type JarEntry, jarPath, listJars, mayHaveJar } from '../client/jar/path.ts'
import { parseJson } from '../client/json.ts'
import { withLock } from '../client/lock.ts'
import { localStateError } from '../output/cli-error.ts'
import type { AccountEntry, Accounts } from './accounts.ts'

export function accountsOf(stateFolder: string, origin: string, now: () => number): Accounts {
  const file = join(stateFolder, 'current.json')
  const path = (account: string) => jarPath(stateFolder, origin, account)
  const open = (account: string) => openJar(path(account), origin, account, { now })
  return {
    list: async () => marked(await listJars(stateFolder, now()), await readChoices(file)),
    path: async (account) => path(account),
    mayKeep: (account) => mayHaveJar(stateFolder, origin, account),
    open,
    token: async (account) => tokenOf(await open(account)),
    current: async () => (await readChoices(file))[origin] ?? onlyOne(await listJars(stateFolder, now()), origin),
    use: (account) => changeChoices(file, (choices) => ({ ...choices, [origin]: account })),
    leave: (account) =>
      changeChoices(file, ({ [origin]: chosen, ...rest }) =>
        chosen === undefined || chosen === account ? rest : { ...rest, [origin]: chosen },
      ),
    remove: (account) => removeJar(path(account)),
    rename: async (account, to) => {
      await moveJar(path(account), path(to), to)
      await changeChoices(file, (choices) => (choices[origin] === account ? { ...choices, [origin]: to } : choices))
    },
  }
}

type Choices = Readonly<Record<string, string>>

function marked(entries: readonly JarEntry[], choices: Choices): readonly AccountEntry[] {
  return entries.map((entry) =>
    'problem' in entry ? entry : { ...entry, isCurrent: currentOf(entries, entry.origin, choices) === entry.account },
  )
}

const currentOf = (entries: readonly JarEntry[], origin: string, choices: Choices): string | undefined =>
  choices[origin] ?? onlyOne(entries, origin)

async function tokenOf(jar: Jar): Promise<string | undefined> {
  const cookies = cookiesOf(await jar.cookieHeader(`${jar.origin}/`))
  return jar.token() ?? [...cookies].find(([name]) => isSessionKey(name))?.[1]
}

function onlyOne(entries: readonly JarEntry[], origin: string): string | undefined {
  const here = entries.flatMap((entry) =>
    'account' in entry && entry.origin === origin && entry.isSignedIn ? [entry.account] : [],
  )
  return here.length === 1 ? here[0] : undefined
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
