import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { ApiAnswer } from '../../client/connection.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../output/cli-error.ts'
import { printAnswer } from './answer.ts'
import { curlLine } from './curl.ts'
import { apiDescribeCommand } from './describe.ts'
import { collect, fieldsOf, type RequestField, readFields } from './fields.ts'
import { apiListCommand } from './list.ts'
import { requestOf } from './request.ts'

interface ApiOptions {
  readonly method?: string
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
    .option('--print <form>', 'curl: print that command instead of asking; body: print what would be sent')
    .action((path: string | undefined, options: ApiOptions) =>
      path ? ask(context, path, options) : command.outputHelp(),
    )
    .addCommand(withLs(apiListCommand(context)))
    .addCommand(apiDescribeCommand(context))
  return about(command, {
    form: 'none',
    fields: {},
    examples: [
      '/get-session',
      '/update-user -f name="Alice Liddell"',
      '/sign-in/email -f email=alice@example.com -F password=@password.txt --print curl',
      'list',
    ],
  })
}

const withLs = (list: Command): Command => list.alias('ls')

async function ask(context: Context, path: string, options: ApiOptions): Promise<void> {
  const { print, include } = options
  const fields = fieldsOf(options)
  const asked = { path, method: options.method ?? (fields.length > 0 ? 'POST' : 'GET'), fields }
  if (print === 'curl') return printCurl(context, asked)
  if (print === 'body') return printBody(context, asked)
  if (print !== undefined) throw usageError(`--print knows curl and body, not ${print}`, undefined, ['--print'])
  const request = requestOf(path, asked.method, await readFields(fields, context.host.stdin))
  const { send } = await context.connect()
  const answer: ApiAnswer = await send(request)
  printAnswer(context, answer, include)
}

interface Asked {
  readonly path: string
  readonly method: string
  readonly fields: readonly RequestField[]
}

async function printCurl(context: Context, { path, method, fields }: Asked): Promise<void> {
  const shown = fields.filter(({ file }) => file === undefined)
  const request = requestOf(path, method, await readFields(shown, context.host.stdin))
  const { base } = context.settings.address.value
  const curl = curlLine({ request, fields, base, identity: await context.identity() })
  context.out.text(curl, { curl })
}

/** For the standard input of another program: what a file holds is kept off a terminal. */
async function printBody({ host, out }: Context, { path, method, fields }: Asked): Promise<void> {
  if (host.stdout.isTTY && fields.some(({ file }) => file !== undefined))
    throw usageError('That would show what a file holds, and this is a terminal', 'Pipe it into a program', ['--print'])
  const { body } = requestOf(path, method, await readFields(fields, host.stdin))
  if (body === undefined) throw usageError('A GET has no body', undefined, ['--print'])
  out.text(JSON.stringify(body), body as object)
}
