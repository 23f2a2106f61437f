import { aboutOf, completerOf } from '../argv/about.ts'
import { commandAt } from '../argv/tree.ts'
import { flowPortsOf } from '../commands/flow-ports.ts'
import { type Context, createContext } from '../context.ts'
import { keptAddresses } from '../flows/auth/switch.ts'
import type { Complete } from '../flows/field.ts'
import { organizationSlugs } from '../flows/org/organizations.ts'
import { parseDuration } from '../settings/duration.ts'
import { type CreateProgram, namesOf, type Place } from './place.ts'

/** Milliseconds. The user is waiting at the prompt, so slow or missing answers are left out. */
const patience = 300

/** Completions known to the service or to this machine. Empty when none arrive in time. */
export async function askedWords(
  context: Context,
  place: Place,
  createProgram: CreateProgram,
): Promise<readonly string[]> {
  const { env } = context.host
  const tired = AbortSignal.timeout(parseDuration(env['POSTERN_COMPLETION_TIMEOUT'] ?? '') ?? patience)
  const gone = new Promise<readonly string[]>((resolve) => {
    tired.addEventListener('abort', () => resolve([]), { once: true })
  })
  const found = ask(impatient(context, tired), place, createProgram).catch(() => [])
  return Promise.race([found, gone])
}

/** The same context, with requests that end at the time limit. */
function impatient({ host }: Context, tired: AbortSignal): Context {
  const signal = AbortSignal.any([host.signal, tired])
  return createContext(Object.create(host, { signal: { value: signal } }))
}

async function ask(context: Context, place: Place, createProgram: CreateProgram): Promise<readonly string[]> {
  const path = place.node.path.split(' ').slice(1)
  const root = await createProgram(context, path)
  context.begin({ ...place.flags, retries: '0' }, aboutOf(root))
  const completer = place.awaiting ? ofFlag(context, root, place) : ofArgument(root, place)
  return completer ? completer(flowPortsOf(context), place.words) : []
}

type Root = Parameters<typeof commandAt>[0]

function ofFlag(context: Context, root: Root, { node, awaiting }: Place): Complete | undefined {
  const [name = ''] = namesOf(awaiting?.flags ?? '').slice(-1)
  const global: Readonly<Record<string, Complete>> = {
    '--account': keptAddresses,
    '--org': organizationSlugs,
    '--profile': async () => Object.keys(context.config.profiles),
  }
  const option = commandOf(root, node)?.options.find(({ long }) => long === name)
  return (option && completerOf(option)) ?? global[name]
}

function ofArgument(root: Root, { node, words }: Place): Complete | undefined {
  const all = commandOf(root, node)?.registeredArguments ?? []
  const last = all.at(-1)
  const argument = all[words.length] ?? (last?.variadic ? last : undefined)
  return argument && completerOf(argument)
}

const commandOf = (root: Root, { path }: Place['node']) => commandAt(root, path.split(' ').slice(1))
