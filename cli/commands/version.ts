import { Command } from 'commander'
import { about } from '../argv/about.ts'
import type { Context } from '../context.ts'
import { version } from '../process/version.ts'

export const versionCommand = (context: Context): Command =>
  about(
    new Command('version').description('Print the version').action(() => {
      context.out.text(version, { version, node: process.version, platform: `${process.platform}-${process.arch}` })
    }),
    {
      form: 'one',
      fields: { version: 'text', node: 'text', platform: 'text' },
      examples: ['', '--json'],
    },
  )
