import type { Command } from 'commander'
import { about, aboutOf } from './about.ts'
import { accountCommand } from './commands/account/account.ts'
import { apiCommand } from './commands/api/api.ts'
import { authCommand } from './commands/auth/auth.ts'
import { commandsCommand } from './commands/commands.ts'
import { completeCommand, completionCommand } from './commands/completion.ts'
import { configCommand } from './commands/config/config.ts'
import { devCommand } from './commands/dev/dev.ts'
import { helpCommand } from './commands/help.ts'
import { invitationCommand } from './commands/invitation/invitation.ts'
import { memberCommand } from './commands/member/member.ts'
import { migrateCommand } from './commands/migrate.ts'
import { orgCommand } from './commands/org/org.ts'
import { profileCommand } from './commands/profile/profile.ts'
import { roleCommand } from './commands/role/role.ts'
import { schemaCommand } from './commands/schema.ts'
import { serveCommand } from './commands/serve.ts'
import { sessionCommand } from './commands/session/session.ts'
import { signInCommand } from './commands/sign-in.ts'
import { signOutCommand } from './commands/sign-out.ts'
import { signUpCommand } from './commands/sign-up.ts'
import { teamCommand } from './commands/team/team.ts'
import { tuiCommand } from './commands/tui.ts'
import { versionCommand } from './commands/version.ts'
import { whoamiCommand } from './commands/whoami.ts'
import type { Context } from './context.ts'
import { addGlobalFlags, type Flags } from './flags.ts'
import { Noun } from './noun.ts'
import { version } from './version.ts'

type Create = (context: Context) => Command

/** By name and by alias. */
const commands: Readonly<Record<string, Create>> = {
  'sign-up': signUpCommand,
  signup: signUpCommand,
  'sign-in': signInCommand,
  login: signInCommand,
  'sign-out': signOutCommand,
  logout: signOutCommand,
  whoami: whoamiCommand,
  auth: authCommand,
  account: accountCommand,
  accounts: accountCommand,
  session: sessionCommand,
  sessions: sessionCommand,
  org: orgCommand,
  orgs: orgCommand,
  member: memberCommand,
  members: memberCommand,
  invitation: invitationCommand,
  invitations: invitationCommand,
  invite: invitationCommand,
  team: teamCommand,
  teams: teamCommand,
  role: roleCommand,
  roles: roleCommand,
  api: apiCommand,
  tui: tuiCommand,
  serve: serveCommand,
  migrate: migrateCommand,
  dev: devCommand,
  profile: profileCommand,
  profiles: profileCommand,
  config: configCommand,
  completion: completionCommand,
  commands: commandsCommand,
  schema: schemaCommand,
  version: versionCommand,
  help: helpCommand,
  __complete: completeCommand,
}

/** These speak of the others. */
const wholeTree = ['commands', 'schema', 'help', '__complete']

/** The tree, bound to one context; of the commands only those that argv can mean, all of them where it may be misspelt. */
export function createProgram(context: Context, argv: readonly string[] = []): Command {
  const program = addGlobalFlags(new Noun('postern'))
    .description('Accounts, sign-in, sessions and organizations from a terminal')
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
  for (const create of named(argv)) program.addCommand(create(context), { hidden: create === completeCommand })
  for (const command of program.commands) inherit(command, program)
  return program
}

// Building all of them takes as long as loading commander.
function named(argv: readonly string[]): ReadonlySet<Create> {
  const words = argv.filter((word) => !word.startsWith('-'))
  if (words.length === 0 && argv.some((word) => word === '-V' || word === '--version')) return new Set()
  const isWhole = !Object.hasOwn(commands, words[0] ?? '') || words.some((word) => wholeTree.includes(word))
  return new Set(
    Object.entries(commands).flatMap(([name, create]) => (isWhole || words.includes(name) ? [create] : [])),
  )
}

function inherit(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  for (const child of command.commands) inherit(child, command)
}
