import { Command } from 'commander'
import { about } from '../../argv/about.ts'
import type { Context } from '../../context.ts'
import type { Column } from '../../output/cell.ts'

interface Row {
  readonly setting: string
  readonly value: string
}

const columns: readonly Column<Row>[] = [
  { header: 'Setting', value: (row) => row.setting },
  { header: 'Value', value: (row) => row.value },
]

export const configListCommand = (context: Context): Command =>
  about(
    new Command('list').description('What the config file sets').action(async () => {
      const rows = Object.entries(context.config.settings).map(([setting, value]) => ({ setting, value }))
      await context.out.list(rows, columns, {
        empty: 'Nothing is set: postern config set url https://…',
        id: 'setting',
      })
    }),
    { form: 'list', fields: { setting: 'text', value: 'text' }, examples: [''] },
  )
