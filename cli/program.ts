import type { Command } from 'commander'
import { builtOrLiveTree, builtTree } from './argv/built-tree.ts'
import { answerSpecOf, describeCommand, metadataOf } from './argv/command-metadata.ts'
import { addGlobalFlags, type Flags, LabelOption, refuseRepeats } from './argv/flags.ts'
import { helpPage } from './argv/help-page.ts'
import { Noun } from './argv/noun.ts'
import { nodeAt } from './argv/tree.ts'
import type { Context } from './context.ts'
import { widthOf } from './output/style.ts'
import { version } from './process/version.ts'

interface Entry {
  /** The name, then its aliases. */
  readonly names: readonly [string, ...string[]]
  /** Each command is a file of its own, and only the commands that argv may name are loaded. */
  readonly load: () => Promise<(context: Context) => Command>
}

const entries: readonly Entry[] = [
  { names: ['sign-up', 'signup'], load: async () => (await import('./commands/sign-up.ts')).signUpCommand },
  { names: ['sign-in', 'login'], load: async () => (await import('./commands/sign-in.ts')).signInCommand },
  { names: ['sign-out', 'logout'], load: async () => (await import('./commands/sign-out.ts')).signOutCommand },
  { names: ['whoami'], load: async () => (await import('./commands/whoami.ts')).whoamiCommand },
  { names: ['auth'], load: async () => (await import('./commands/auth/auth.ts')).authCommand },
  { names: ['account', 'accounts'], load: async () => (await import('./commands/account/account.ts')).accountCommand },
  { names: ['session', 'sessions'], load: async () => (await import('./commands/session/session.ts')).sessionCommand },
  { names: ['org', 'orgs'], load: async () => (await import('./commands/org/org.ts')).orgCommand },
  { names: ['member', 'members'], load: async () => (await import('./commands/member/member.ts')).memberCommand },
  {
    names: ['invitation', 'invitations', 'invite'],
    load: async () => (await import('./commands/invitation/invitation.ts')).invitationCommand,
  },
  { names: ['team', 'teams'], load: async () => (await import('./commands/team/team.ts')).teamCommand },
  { names: ['role', 'roles'], load: async () => (await import('./commands/role/role.ts')).roleCommand },
  { names: ['key', 'keys'], load: async () => (await import('./commands/key/key.ts')).keyCommand },
  { names: ['webhook', 'webhooks'], load: async () => (await import('./commands/webhook/webhook.ts')).webhookCommand },
  { names: ['admin'], load: async () => (await import('./commands/admin/admin.ts')).adminCommand },
  { names: ['api'], load: async () => (await import('./commands/api/api.ts')).apiCommand },
  { names: ['tui'], load: async () => (await import('./commands/tui.ts')).tuiCommand },
  { names: ['wait'], load: async () => (await import('./commands/wait.ts')).waitCommand },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).doctorCommand },
  { names: ['serve'], load: async () => (await import('./commands/serve.ts')).serveCommand },
  { names: ['backup'], load: async () => (await import('./commands/backup.ts')).backupCommand },
  { names: ['restore'], load: async () => (await import('./commands/backup.ts')).restoreCommand },
  { names: ['migrate'], load: async () => (await import('./commands/migrate.ts')).migrateCommand },
  { names: ['import'], load: async () => (await import('./commands/import/import.ts')).importCommand },
  { names: ['export'], load: async () => (await import('./commands/export.ts')).exportCommand },
  { names: ['dev'], load: async () => (await import('./commands/dev/dev.ts')).devCommand },
  { names: ['profile', 'profiles'], load: async () => (await import('./commands/profile/profile.ts')).profileCommand },
  { names: ['config'], load: async () => (await import('./commands/config/config.ts')).configCommand },
  { names: ['alias', 'aliases'], load: async () => (await import('./commands/alias/alias.ts')).aliasCommand },
  {
    names: ['extension', 'extensions'],
    load: async () => (await import('./commands/extension/extension.ts')).extensionCommand,
  },
  { names: ['completion'], load: async () => (await import('./commands/completion.ts')).completionCommand },
  { names: ['commands'], load: async () => (await import('./commands/commands.ts')).commandsCommand },
  { names: ['schema'], load: async () => (await import('./commands/schema.ts')).schemaCommand },
  { names: ['version'], load: async () => (await import('./commands/version.ts')).versionCommand },
  { names: ['help'], load: async () => (await import('./commands/help.ts')).helpCommand },
]

/** These commands describe all others, so they need the whole tree. */
const describingCommands = ['commands', 'schema', 'help']

export const isCommandName = (word: string): boolean => entries.some(({ names }) => names.includes(word))

/** The command tree bound to one context, with only the commands that argv may name. */
export async function createProgram(context: Context, argv: readonly string[] = []): Promise<Command> {
  const program = rootOf(context)
  for (const command of await loadCommands(context, argv)) program.addCommand(command)
  refuseRepeats(program)
  // Parsing is synchronous, so the tree that a help page is made from is here before.
  const tree = await builtOrLiveTree(() => program)
  program.configureHelp({
    formatHelp: (command) => helpPage(tree, nodeAt(tree, wordsOf(command)) ?? tree, widthOf(context.host)),
  })
  for (const command of program.commands) inheritSettings(command, program)
  return program
}

/** The names that lead from the program to the command. */
const wordsOf = (command: Command): readonly string[] =>
  command.parent ? [...wordsOf(command.parent), command.name()] : []

/** The global flags, and those that several commands share. */
function flagsOf(root: Command, command: Command): Flags {
  const { label, dryRun, columns } = command.opts<Flags>()
  const isForSession = command.options.some((option) => option instanceof LabelOption)
  const given = { ...(isForSession && label !== undefined && { label }), ...(columns !== undefined && { columns }) }
  return { ...root.opts<Flags>(), ...given, ...(dryRun && { dryRun }) }
}

const rootOf = (context: Context): Command =>
  describeCommand(
    addGlobalFlags(new Noun('postern'))
      .description('Accounts, sign-in, sessions and organizations from a terminal')
      .version(version, '-V, --version', 'print the version')
      .helpOption('-h, --help', 'show this help')
      .helpCommand(false)
      .exitOverride()
      .configureOutput({
        writeOut: (text) => void context.host.stdout.write(text),
        writeErr: () => {},
        outputError: () => {},
      })
      .hook('preAction', (root, command) =>
        context.begin(flagsOf(root, command), metadataOf(command), answerSpecOf(command)),
      ),
    { form: 'none', fields: {}, examples: ['sign-up', 'whoami', 'session list'] },
  )

/**
 * Loads the commands that argv may name. The others become empty entries, so that a misspelt name can be matched. All
 * are loaded when argv names a command that describes the others, or no command. A word after a flag may be its value
 * or a command, so it counts as both.
 */
async function loadCommands(context: Context, argv: readonly string[]): Promise<readonly Command[]> {
  const words = argv.filter((word) => !word.startsWith('-'))
  if (words.length === 0 && argv.some((word) => word === '-V' || word === '--version')) return []
  const isMeant = ({ names }: Entry) => words.some((word) => names.includes(word))
  const isMisspelt = words[0] !== undefined && words[0] === argv[0]
  const speaksOfAll = words.some((word) => describingCommands.includes(word)) || !(isMisspelt || entries.some(isMeant))
  // The tree written by the build is enough for them.
  const isWhole = speaksOfAll && !builtTree()
  return Promise.all(
    entries.map(async (entry) =>
      isWhole || isMeant(entry) ? (await entry.load())(context) : new Noun(entry.names[0]).helpCommand(false),
    ),
  )
}

function inheritSettings(command: Command, parent: Command): void {
  command.copyInheritedSettings(parent)
  refuseRepeats(command)
  for (const child of command.commands) inheritSettings(child, command)
}
