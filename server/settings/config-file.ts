import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { withoutByteOrderMark } from '../../shared/byte-order-mark.ts'
import type { CallGroup } from '../../shared/contract/call.ts'
import { contract } from '../../shared/contract/index.ts'
import { organizationRoles } from '../../shared/permissions.ts'
import { wordsOf } from '../languages/words.ts'
import { defineConfig } from './define-config.ts'
import type { Extensions } from './extensions.ts'
import { HookRefusal } from './hook-refusal.ts'

const names = ['postern.config.ts', 'postern.config.mjs', 'postern.config.js', 'postern.config.json']
/** If one of these were ignored, its functions would guard nothing. */
const otherKinds = ['postern.config.mts', 'postern.config.cts', 'postern.config.cjs']

/** A config file as it was read: its name and its text. Both are empty without a file. */
export interface ConfigFile {
  readonly name: string
  readonly text: string
}

interface Contents {
  readonly file: ConfigFile
  /** As text, by the names of the environment variables. */
  readonly settings: Readonly<Record<string, string>>
  readonly extensions: Extensions
}

/** What is expected in place of a value, or undefined if it can be used. */
type Check = (value: unknown) => string | undefined

const isFunction = (value: unknown): boolean => typeof value === 'function'
const aFunction: Check = (value) => (isFunction(value) ? undefined : 'a function')

const mailKinds = wordsOf('en').mail.kinds
/** A template of a kind that there is none of would replace nothing. */
const templates: Check = (value) =>
  value !== null &&
  typeof value === 'object' &&
  Object.entries(value).every(([kind, template]) => Object.hasOwn(mailKinds, kind) && isFunction(template))
    ? undefined
    : `functions by the kind of mail, which is one of ${Object.keys(mailKinds).join(', ')}`

const name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
const Roles = z.record(name, z.record(name, z.array(name)))
const roles: Check = (value) => {
  const { error } = Roles.safeParse(value)
  const at = error?.issues[0]?.path.map((part) => JSON.stringify(part)).join(', ')
  return (
    error &&
    `roles with resources with lists of actions, all named by at most 64 letters, digits, _ and -${at ? `; see ${at}` : ''}`
  )
}

const paths = new Set(
  Object.values(contract as Record<string, CallGroup>).flatMap((group) => Object.values(group).map(({ path }) => path)),
)
const listOfPaths: Check = (value) => {
  if (!Array.isArray(value)) return 'a list of paths of calls'
  const unknown = value.filter((path) => !paths.has(path))
  return unknown.length > 0 ? `paths of calls, and none has the path ${JSON.stringify(unknown[0])}` : undefined
}

/** Checks of what only the config file can contain. */
const extensions: Readonly<Record<keyof Extensions, Check>> = {
  disabledPaths: listOfPaths,
  // These are checked with the other settings, which reports each mistake.
  RATE_LIMITS: () => undefined,
  userFields: () => undefined,
  organizationFields: () => undefined,
  sendMail: aFunction,
  mailTemplates: templates,
  beforeDeleteUser: aFunction,
  afterDeleteUser: aFunction,
  afterVerifyEmail: aFunction,
  afterResetPassword: aFunction,
  mapProfile: aFunction,
  defineTokenPayload: aFunction,
  roles,
  platformRoles: roles,
  mayCreateOrganization: aFunction,
  organizationLimit: aFunction,
  beforeCreateOrganization: aFunction,
  afterCreateOrganization: aFunction,
  beforeDeleteOrganization: aFunction,
  afterDeleteOrganization: aFunction,
}

/**
 * The settings and functions of the folder's config file. Empty without a file. `kept`: the file as it was read before,
 * which counts whatever the folder contains by now. Throws a sentence when the file cannot be loaded or sets a name that
 * is not `known`, because a mistyped setting must not be ignored.
 */
export async function readConfigFile(
  folder: string,
  known: (name: string) => boolean,
  kept?: ConfigFile,
): Promise<Contents> {
  const file = kept ?? fileIn(folder)
  if (!file.name) return { file, settings: {}, extensions: {} }
  const entries = Object.entries(await load(folder, file)).filter(([, value]) => (value ?? null) !== null)
  const [functions, settings] = split(entries)
  const strange = settings.map(([key]) => key).filter((key) => !known(key))
  if (strange.length > 0) throw new Error(`${file.name} sets ${strange.join(', ')}, which is no setting`)
  const wrong = [...unusable(functions), ...noText(settings)]
  if (wrong.length > 0)
    throw new Error(`${file.name} sets ${wrong.map(([key, expected]) => `${key}: expected ${expected}`).join('; ')}`)
  return {
    file,
    settings: Object.fromEntries(settings.map(([key, value]) => [key, textOf(value)])),
    extensions: Object.fromEntries(functions),
  }
}

/**
 * What is wrong with extensions that a program gives without a config file, one sentence each: a hook whose name is
 * mistyped would guard nothing.
 */
export function extensionProblems(given: object): string[] {
  const [known, others] = split(Object.entries(given).filter(([, value]) => value !== undefined))
  const all = Object.keys(extensions).join(', ')
  return [
    ...others.map(([key]) => `${key} is unknown: expected one of ${all}`),
    ...unusable(known).map(([key, expected]) => `${key} cannot be used: expected ${expected}`),
  ]
}

/** A key, and what it is expected to be. */
type Wrong = readonly [key: string, expected: string]

const unusable = (known: Entries): readonly Wrong[] =>
  known.flatMap(([key, value]): Wrong[] => {
    const expected = extensions[key as keyof Extensions](value)
    return expected === undefined ? [] : [[key, expected]]
  })

const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) || value instanceof URL

/** The text of a function would be taken for a long secret, and whoever may read the file knows it. */
const noText = (settings: Entries): readonly Wrong[] =>
  settings
    .filter(
      ([, value]) =>
        !(Array.isArray(value) ? value.filter((entry) => (entry ?? null) !== null) : [value]).every(isPlain),
    )
    .map(([key]) => [key, 'a text, a number, true or false, or a list of those'])

type Entries = readonly (readonly [string, unknown])[]

const split = (entries: Entries): [Entries, Entries] => [
  entries.filter(([key]) => Object.hasOwn(extensions, key)),
  entries.filter(([key]) => !Object.hasOwn(extensions, key)),
]

function fileIn(folder: string): ConfigFile {
  const isThere = (one: string) => existsSync(join(folder, one))
  const name = names.find(isThere)
  if (!name) {
    const other = otherKinds.find(isThere)
    if (other) throw new Error(`${other} is not read: its name has to be one of ${names.join(', ')}`)
    return { name: '', text: '' }
  }
  try {
    return { name, text: readFileSync(join(folder, name), 'utf8') }
  } catch (error) {
    throw cannotLoad(name, error)
  }
}

const cannotLoad = (name: string, error: unknown): Error =>
  new Error(`${name} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)

async function load(folder: string, { name, text }: ConfigFile): Promise<object> {
  const settings = await unlessIdle(evaluate(join(folder, name), text)).catch((error: unknown) => {
    throw cannotLoad(name, error)
  })
  if (settings === null || typeof settings !== 'object' || Array.isArray(settings))
    throw new Error(`${name} has no object of settings as its default export`)
  return settings
}

/** A file may await what never comes. When nothing else is left to do, the process would end without a word. */
function unlessIdle<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onIdle = () => reject(new Error('it waits for something that never comes'))
    process.once('beforeExit', onIdle)
    void work.then(resolve, reject).finally(() => process.off('beforeExit', onIdle))
  })
}

async function evaluate(path: string, text: string): Promise<unknown> {
  if (path.endsWith('.json')) return parseJson(withoutByteOrderMark(text))
  const { createJiti } = await import('jiti')
  // The config file gets the classes of this process, wherever it is installed: a HookRefusal from another copy would
  // not be recognised.
  const virtualModules = { postern: { defineConfig, HookRefusal, organizationRoles } }
  // No cache: jiti would keep the compiled file, secrets included, in a shared temporary folder, and would run whatever
  // it finds there.
  const jiti = createJiti(import.meta.url, { virtualModules, fsCache: false })
  if (contains(path, text)) return jiti.import(path, { default: true })
  // Otherwise jiti would let Node load the file of this name, which has another text by now.
  const module = Object(await jiti.evalModule(text, { filename: path, async: true, forceTranspile: true }))
  return module.default ?? module
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The engine's message quotes the text around the mistake, which may be a secret.
    throw new Error(`it is not valid JSON${placeOf(text, (error as Error).message)}`)
  }
}

/** Where the mistake is, if the message says so. */
function placeOf(text: string, message: string): string {
  const [, position] = /in JSON at position (\d+)/.exec(message) ?? []
  if (position === undefined) return ''
  const lines = text.slice(0, Number(position)).split('\n')
  return ` (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`
}

function contains(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text
  } catch {
    return false
  }
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value))
