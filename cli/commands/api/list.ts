import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'
import { type NamedCall, namedCalls } from './calls.ts'

const columns: readonly Column<NamedCall>[] = [
  { header: 'Call', value: (call) => call.call },
  { header: 'Method', value: (call) => call.method },
  { header: 'Path', value: (call) => call.path },
  { header: 'Access', value: (call) => call.access },
  { header: 'Summary', value: (call) => call.summary },
]

export const apiListCommand = (context: Context): Command =>
  about(
    new Command('list').description('The calls of the service').action(async () => {
      await context.out.list(await namedCalls(), columns, { empty: 'No calls', id: 'call' })
    }),
    {
      form: 'list',
      fields: { call: 'text', method: 'text', path: 'text', access: 'text', summary: 'text' },
      examples: ['', '--json=call,path'],
    },
  )
