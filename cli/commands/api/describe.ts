import { Command } from 'commander'
import type { Call } from '../../../shared/contract/call.ts'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import { notFoundError } from '../../output/cli-error.ts'
import { jsonText } from '../../output/json.ts'
import { contractCalls } from './calls.ts'

export const apiDescribeCommand = (context: Context): Command =>
  about(
    new Command('describe')
      .description('What a call takes, answers and may refuse')
      .argument('<call>', 'its name or its path, as api list shows them')
      .action((call: string) => describe(context, call)),
    {
      form: 'one',
      fields: {
        call: 'text',
        method: 'text',
        path: 'text',
        access: 'text',
        summary: 'text',
        input: 'any',
        output: 'any',
        failures: 'list',
      },
      examples: ['session.listSessions', '/sign-in/email --json=input'],
    },
  )

async function describe(context: Context, asked: string): Promise<void> {
  const calls = await contractCalls()
  const found = calls.find(([name, call]) => [name, name.split('.')[1], call.path].includes(asked))
  if (!found) throw notFoundError(`No call ${asked}`, 'postern api list')
  const facts = await factsOf(...found)
  context.out.text(textOf(facts), facts)
}

async function factsOf(name: string, { method, path, access, summary, input, output, failures }: Call) {
  const [{ toJSONSchema }, { wireOf }] = await Promise.all([
    import('./json-schema.ts'),
    import('../../../shared/failure.ts'),
  ])
  const schema = (type: typeof input) => toJSONSchema(type, { io: 'input', unrepresentable: 'any' })
  const answers = failures.map((failure) => wireOf(failure)).map(({ status, body }) => ({ status, ...body }))
  return { call: name, method, path, access, summary, input: schema(input), output: schema(output), failures: answers }
}

type Facts = Awaited<ReturnType<typeof factsOf>>

const textOf = ({ call, method, path, access, summary, input, output, failures }: Facts): string =>
  [
    `${call}: ${summary}`,
    `${method} ${path} (${access})`,
    `input:  ${jsonText(input)}`,
    `output: ${jsonText(output)}`,
    ...failures.map((failure) => `refuses: ${jsonText(failure)}`),
  ].join('\n')
