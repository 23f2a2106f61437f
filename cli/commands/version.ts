import { Command } from 'commander'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import { version } from '../process/version.ts'

export const versionCommand = (context: Context): Command =>
  describeCommand(
    new Command('version').description('Print the version').action(() => {
      context.out.text(version, { version, node: process.version, platform: `${process.platform}-${process.arch}` })
    }),
    {
      form: 'one',
      fields: { version: 'text', node: 'text', platform: 'text' },
      examples: ['', '--json'],
    },
  )
