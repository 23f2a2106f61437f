import type { Command } from 'commander'
import { about, aboutOf } from './about.ts'
import { accountCommand } from './commands/account/account.ts'
import { apiCommand } from './commands/api/api.ts'
import { authCommand } from './commands/auth/auth.ts'
import { commandsCommand } from './commands/commands.ts'
import { completeCommand, completionCommand } from './commands/completion.ts'
import { configCommand } from './commands/config/config.ts'
import { helpCommand } from './commands/help.ts'
import { migrateCommand } from './commands/migrate.ts'
import { profileCommand } from './commands/profile/profile.ts'
import { schemaCommand } from './commands/schema.ts'
import { serveCommand } from './commands/serve.ts'
import { sessionCommand } from './commands/session/session.ts'
import { signInCommand } from './commands/sign-in.ts'
import { signOutCommand } from './commands/sign-out.ts'
import { signUpCommand } from './commands/sign-up.ts'
import { tuiCommand } from './commands/tui.ts'
import { versionCommand } from './commands/version.ts'
import { whoamiCommand } from './commands/whoami.ts'
import type { Context } from './context.ts'
import { addGlobalFlags, type Flags } from './flags.ts'
import { Noun } from './noun.ts'
import { version } from './version.ts'

const commands: readonly ((context: Context) => Command)[] = [
  signUpCommand,
  signInCommand,
  signOutCommand,
  whoamiCommand,
  authCommand,
  accountCommand,
  sessionCommand,
  apiCommand,
  tuiCommand,
  serveCommand,
  migrateCommand,
  profileCommand,
  configCommand,
  completionCommand,
  commandsCommand,
  schemaCommand,
  versionCommand,
  helpCommand,
  completeCommand,
]

/** The whole tree, bound to one context. */
export function createProgram(context: Context): Command {
  const program = addGlobalFlags(new Noun('postern'))
    .description('Accounts, sign-in and sessions from a terminal')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.host.stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => context.out.style.page.width,
    })
    .configureHelp({ optionTerm: ({ flags }) => flags.replace('--json [fields]', '--json[=fields]') })
    .hook('preAction', (root, command) => context.begin(root.opts<Flags>(), aboutOf(command)))
  about(program, { form: 'none', fields: {}, examples: ['postern sign-up', 'postern whoami', 'postern session list'] })
  for (const create of commands) program.addCommand(create(context), { hidden: create === completeCommand })
  for (const command of program.commands) inherit(command, program)
  return program
}

function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
}
