import { Command } from 'commander'
import type { Call, CallGroup } from '../../../shared/contract/call.ts'
import { callerOf } from '../../../shared/contract/caller-words.ts'
import { describeCommand } from '../../argv/command-metadata.ts'
import { refuseRows } from '../../argv/output-flag.ts'
import type { Context } from '../../context.ts'
import { notFoundError } from '../../output/cli-error.ts'
import { jsonText } from '../../output/escape-controls.ts'
import { localListCommand } from '../local-list.ts'

interface NamedCall {
  /** `session.listSessions` */
  readonly call: string
  readonly method: string
  readonly path: string
  readonly access: string
  readonly summary: string
}

async function contractCalls(): Promise<readonly (readonly [name: string, call: Call])[]> {
  const { callGroups } = await import('../../client/calls.ts')
  const named = Object.entries<() => Promise<CallGroup>>(callGroups).map(async ([group, load]) =>
    Object.entries<Call>(await load()).map(([name, call]) => [`${group}.${name}`, call] as const),
  )
  return (await Promise.all(named)).flat()
}

const namedCall = (name: string, call: Call): NamedCall => {
  const { method, path, summary } = call
  return { call: name, method, path, access: callerOf(call), summary }
}

async function namedCalls(): Promise<readonly NamedCall[]> {
  const calls = await contractCalls()
  return calls.map(([name, call]) => namedCall(name, call))
}

const fields = {
  call: { title: 'Call', type: 'text' },
  method: { title: 'Method', type: 'text' },
  path: { title: 'Path', type: 'text' },
  access: { title: 'Access', type: 'text' },
  summary: { title: 'Summary', type: 'text' },
} as const

export const apiListCommand = (context: Context): Command =>
  localListCommand<NamedCall>(context, {
    summary: 'The calls of the service',
    id: 'call',
    empty: 'No calls',
    list: namedCalls,
    fields,
    examples: ['', '--json=call,path'],
  })

export const apiDescribeCommand = (context: Context): Command =>
  describeCommand(
    new Command('describe')
      .description('The input, answer and errors of a call')
      .argument('<call...>', 'its name or path, as shown by api list; a method may stand before the path')
      .action((words: readonly string[]) => describe(context, words.join(' '))),
    {
      form: 'one',
      fields: { ...fields, input: 'any', output: 'any', failures: 'list' },
      ends: ['notFound'],
      examples: ['session.listSessions', '/sign-in/email --json=input', 'POST /organization/create'],
    },
  )

async function describe(context: Context, asked: string): Promise<void> {
  refuseRows(context.flags)
  const calls = await contractCalls()
  const found = calls.find(([name, { method, path }]) =>
    [name, name.split('.')[1], path, path.slice(1), `${method} ${path}`].includes(asked),
  )
  if (!found) throw notFoundError(`No call ${asked}`, 'postern api list')
  const facts = await factsOf(...found)
  context.out.text(textOf(facts, context.host.stdout.isTTY ? 2 : undefined), facts)
}

async function factsOf(name: string, call: Call) {
  const { input, output, failures } = call
  const [{ toJSONSchema }, { wireOf }] = await Promise.all([
    import('../json-schema.ts'),
    import('../../../shared/failure.ts'),
  ])
  const schema = (type: typeof input) => toJSONSchema(type, { io: 'input', unrepresentable: 'any' })
  const answers = failures.map((failure) => wireOf(failure)).map(({ status, body }) => ({ status, ...body }))
  return { ...namedCall(name, call), input: schema(input), output: schema(output), failures: answers }
}

type CallFacts = Awaited<ReturnType<typeof factsOf>>

/** `indent`: the spaces of one level; undefined puts each fact on a line of its own. */
const textOf = (
  { call, method, path, access, summary, input, output, failures }: CallFacts,
  indent: number | undefined,
): string =>
  [
    `${call}: ${summary}`,
    `${method} ${path} (${access})`,
    `input:  ${jsonText(input, indent)}`,
    `output: ${jsonText(output, indent)}`,
    ...failures.map((failure) => `refuses: ${jsonText(failure)}`),
  ].join('\n')
