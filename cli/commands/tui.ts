import { Command, Option } from 'commander'
import { exitCodes } from '../../shared/exit-codes.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import { CliError } from '../output/cli-error.ts'
import { hideFromInk } from '../process/own-host.ts'
import { parseSwitch } from '../settings/settings.ts'

/** Listed here so that commands do not load the table of keys. A test compares the two. */
const screens = ['home', 'accounts', 'sessions', 'profile', 'orgs', 'admin', 'requests'] as const

export const tuiCommand = (context: Context): Command =>
  describeCommand(
    new Command('tui')
      .description('Accounts and organizations on a full screen, with keys')
      .addOption(new Option('--screen <name>', 'where to start').choices(screens))
      .option(
        '--equivalents',
        'print what the screen, or every screen, offers, each with the command that does the same',
      )
      .action(({ equivalents, ...options }: TuiOptions) =>
        equivalents ? printEquivalents(context, options) : openTui(context, options),
      ),
    {
      form: 'none',
      fields: {},
      others: [
        {
          by: '--equivalents',
          form: 'list',
          fields: { screen: 'text', place: 'text', entry: 'text', key: 'text?', command: 'text' },
        },
      ],
      ends: ['localState', 'inputNeeded'],
      globalFlags: ['--account'],
      examples: [
        '',
        '--screen sessions',
        '--screen orgs --equivalents',
        '--read-only',
        'POSTERN_ACCESSIBLE=1 postern tui',
      ],
    },
  )

interface TuiOptions {
  readonly screen?: (typeof screens)[number]
  readonly equivalents?: true
}

async function printEquivalents({ out, settings }: Context, { screen }: TuiOptions): Promise<void> {
  const [{ columns, equivalentsOf }, { keymapWith }] = await Promise.all([
    import('../tui/equivalents/equivalents.ts'),
    import('../tui/keymap/remap.ts'),
  ])
  const rows = equivalentsOf(keymapWith(settings.tui.keys), screen)
  await out.list(rows, columns, { empty: 'Nothing', id: 'command' })
}

async function openTui(context: Context, options: TuiOptions): Promise<void> {
  const { stdin, stdout, env } = context.host
  if (!stdin.isTTY || !stdout.isTTY) throw noTerminal(`${stdin.isTTY ? 'stdout' : 'stdin'} is not one`)
  if (env['TERM'] === 'dumb' && !parseSwitch(env['POSTERN_ACCESSIBLE'] || 'off', 'POSTERN_ACCESSIBLE'))
    throw noTerminal('TERM is dumb: this one cannot place text', 'In lines: POSTERN_ACCESSIBLE=1 postern tui')
  hideFromInk()
  const [{ token, from }, { runTui }, { createTuiPorts }] = await Promise.all([
    context.identity(),
    import('../tui/main.tsx'),
    import('../tui-ports.ts'),
  ])
  if (token !== undefined) context.out.warn(`The terminal UI uses the accounts stored here and ignores ${from}`)
  context.exitCode = await runTui(createTuiPorts(context), { ...options, readOnly: context.settings.readOnly.value })
}

const commandsInstead =
  'Use commands instead: postern sign-in, postern whoami, postern session list, postern account view, postern org view'

const noTerminal = (why: string, hint = commandsInstead) =>
  new CliError(exitCodes.inputNeeded, `The terminal UI needs a terminal, but ${why}`, { code: 'INPUT_NEEDED', hint })
