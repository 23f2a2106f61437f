import { Command } from 'commander'
import { about } from '../../about.ts'
import type { Answer } from '../../client/client.ts'
import type { Context } from '../../context.ts'
import { usage } from '../../refusal.ts'
import { printAnswer } from './answer.ts'
import { curlLine } from './curl.ts'
import { apiDescribeCommand } from './describe.ts'
import { collect, readFields } from './fields.ts'
import { apiListCommand } from './list.ts'
import { type Method, requestOf } from './request.ts'

interface ApiOptions {
  readonly method?: Method
  readonly field?: readonly string[]
  readonly typedField?: readonly string[]
  readonly include?: boolean
  readonly print?: string
}

export const apiCommand = (context: Context): Command => {
  const command: Command = new Command('api')
    .description('Ask the service anything, by path')
    .helpCommand(false)
    .argument('[path]', 'below the base path, such as /get-session')
    .option('-X, --method <method>', 'GET or POST; POST where fields are given')
    .option('-f, --field <key=text>', 'a field of the body, or of the query of a GET', collect)
    .option('-F, --typed-field <key=json>', 'the same as JSON; @file and - (stdin) are taken as text', collect)
    .option('-i, --include', 'print status and headers too')
    .option('--print <form>', 'curl: print that command instead of asking')
    .action((path: string | undefined, options: ApiOptions) =>
      path ? ask(context, path, options) : command.outputHelp(),
    )
    .addCommand(withLs(apiListCommand(context)))
    .addCommand(apiDescribeCommand(context))
  return about(command, {
    form: 'none',
    fields: {},
    examples: [
      'postern api /get-session',
      'postern api /update-user -f name="Alice Liddell"',
      'postern api /sign-in/email -f email=alice@example.com -F password=@password.txt --print curl',
      'postern api list',
    ],
  })
}

const withLs = (list: Command): Command => list.alias('ls')

async function ask(context: Context, path: string, options: ApiOptions): Promise<void> {
  const fields = await readFields(options, context.host.stdin)
  const request = requestOf(path, options.method, fields)
  if (options.print !== undefined) return printCurl(context, request, options.print)
  const { send } = await context.connect()
  const answer: Answer = await send(request)
  printAnswer(context, answer, options.include)
}

async function printCurl(context: Context, request: ReturnType<typeof requestOf>, form: string): Promise<void> {
  if (form !== 'curl') throw usage(`--print knows curl, not ${form}`, undefined, ['--print'])
  const { token, account } = await context.identity()
  const hasSession = token !== undefined || account !== undefined
  const curl = curlLine(context.settings.address.value.base, request, hasSession)
  context.out.text(curl, { curl })
}
