import { completerOf, metadataOf } from '../argv/command-metadata.ts'
import { commandAt } from '../argv/tree.ts'
import { flowContextOf } from '../commands/flow-context.ts'
import { type Context, createContext } from '../context.ts'
import { keptAddresses } from '../flows/auth/switch.ts'
import type { Completer } from '../flows/field.ts'
import { organizationSlugs } from '../flows/org/organizations.ts'
import { parseDuration } from '../settings/duration.ts'
import { type CompletionPoint, type CreateProgram, namesOf } from './completion-point.ts'

/** Milliseconds. The user is waiting at the prompt, so slow or missing answers are left out. */
const patience = 300

/** Completions known to the service or to this machine. Empty when none arrive in time. */
export async function liveCompletions(
  context: Context,
  place: CompletionPoint,
  createProgram: CreateProgram,
): Promise<readonly string[]> {
  const { env } = context.host
  const tired = AbortSignal.timeout(parseDuration(env['POSTERN_COMPLETION_TIMEOUT'] ?? '') ?? patience)
  const gone = new Promise<readonly string[]>((resolve) => {
    tired.addEventListener('abort', () => resolve([]), { once: true })
  })
  const found = ask(withTimeLimit(context, tired), place, createProgram).catch(() => [])
  return Promise.race([found, gone])
}

/** The same context, with requests that end at the time limit. */
function withTimeLimit({ host }: Context, tired: AbortSignal): Context {
  const signal = AbortSignal.any([host.signal, tired])
  return createContext(Object.create(host, { signal: { value: signal } }))
}

async function ask(context: Context, place: CompletionPoint, createProgram: CreateProgram): Promise<readonly string[]> {
  const path = place.node.path.split(' ').slice(1)
  const root = await createProgram(context, path)
  await context.begin({ ...place.flags, retries: '0' }, metadataOf(root))
  const completer = place.awaiting ? ofFlag(context, root, place) : ofArgument(root, place)
  return completer ? completer(flowContextOf(context), place.words) : []
}

type Root = Parameters<typeof commandAt>[0]

function ofFlag(context: Context, root: Root, { node, awaiting }: CompletionPoint): Completer | undefined {
  const [name = ''] = namesOf(awaiting?.flags ?? '').slice(-1)
  const global: Readonly<Record<string, Completer>> = {
    '--account': keptAddresses,
    '--org': organizationSlugs,
    '--profile': async () => Object.keys(context.config.profiles),
  }
  const option = commandOf(root, node)?.options.find(({ long }) => long === name)
  return (option && completerOf(option)) ?? global[name]
}

function ofArgument(root: Root, { node, words }: CompletionPoint): Completer | undefined {
  const all = commandOf(root, node)?.registeredArguments ?? []
  const last = all.at(-1)
  const argument = all[words.length] ?? (last?.variadic ? last : undefined)
  return argument && completerOf(argument)
}

const commandOf = (root: Root, { path }: CompletionPoint['node']) => commandAt(root, path.split(' ').slice(1))
