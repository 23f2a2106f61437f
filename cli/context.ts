import type { Call } from '../shared/contract/call.ts'
import { isEmail } from '../shared/email.ts'
import type { ExitCode } from '../shared/exit-codes.ts'
import { createAccountStore } from './accounts/account-store.ts'
import type { AccountRef, Accounts } from './accounts/accounts.ts'
import { findIdentity, type Identity } from './accounts/identity.ts'
import type { AnswerSpec, CommandMetadata } from './argv/command-metadata.ts'
import { checkFlags, type Flags } from './argv/flags.ts'
import { type Connection, type ConnectionCredentials, isJar } from './client/connection.ts'
import { signInLine } from './flows/auth/sign-in-line.ts'
import { type CliError, readOnlyError, signedOutError } from './output/cli-error.ts'
import { documentWriter } from './output/document-writer.ts'
import { selectionOf } from './output/json.ts'
import { createOut, type Out, type OutputStyle } from './output/out.ts'
import { indentOf, outputStyle } from './output/style.ts'
import type { Host } from './process/host.ts'
import { hideFromInk } from './process/own-host.ts'
import { askConsent, askMissing, checkPrompt, type Prompt, type Question } from './prompt/ask.ts'
import { whyNotInteractive } from './prompt/interactive.ts'
import { type ConfigFile, readConfig } from './settings/config-file.ts'
import { configPath, type Folders, foldersOf } from './settings/folders.ts'
import { resolveSettings, type Settings } from './settings/settings.ts'

/** What a command can use. Files are read and modules loaded on first use. */
export interface Context {
  readonly host: Host
  flags: Flags
  readonly folders: Folders
  readonly configPath: string
  readonly config: ConfigFile
  readonly settings: Settings
  readonly accounts: Accounts
  readonly out: Out
  /** Set by a command that fails and has already printed the reason. */
  exitCode: ExitCode
  /** What the service has confirmed in this run, oldest first. */
  readonly changes: readonly Call[]
  /** The account whose own session the calls of this run use, once it has connected. */
  readonly acting: AccountRef | undefined
  identity(): Promise<Identity>
  /** Connects with this run's identity. */
  connect(): Promise<Connection>
  /** Like `connect`, but exits with 4 when nobody is signed in, before anything is loaded or sent. */
  connectSignedIn(): Promise<Connection>
  /** Connects with the given jar or token, as an impersonated user, or anonymously. */
  connectAs(who: ConnectionCredentials): Promise<Connection>
  ask<K extends string>(questions: Readonly<Record<K, Question>>, ready: string): Promise<Record<K, string>>
  /** Continues only with the user's consent. `expected` lists the names that `--confirm` accepts instead of `--yes`. */
  confirm(question: string, options: { readonly ready: string; readonly expected?: readonly string[] }): Promise<void>
  /** Exits with 14 when these flags are missing and the user cannot be prompted for them. */
  checkPrompt(flags: readonly string[], ready: string): void
  /** Called once, before the command runs. Throws when the flags do not fit the command. */
  begin(flags: Flags, about: CommandMetadata, answer?: AnswerSpec): Promise<void>
}

export const createContext = (host: Host): Context => new RunContext(host)

class RunContext implements Context {
  readonly host: Host
  readonly folders: Folders
  readonly configPath: string
  readonly accounts: Accounts
  readonly out: Out
  readonly identity = once(() => findIdentity(this.host.env, this.settings, this.accounts))
  flags: Flags = {}
  exitCode: ExitCode = 0
  readonly changes: Call[] = []
  acting: AccountRef | undefined
  #fields: readonly string[] = []
  #selection: readonly string[] | undefined
  #write: OutputStyle['document'] | undefined
  readonly #config = once(() => readConfig(this.configPath))
  readonly #settings = once(() => resolveSettings(this.flags, this.host.env, this.#config))
  readonly #prompt: Prompt

  constructor(host: Host) {
    this.host = host
    this.folders = foldersOf(host.env)
    this.configPath = configPath(this.folders)
    this.accounts = createAccountStore(this.folders.state, host.now)
    const style = once(() =>
      outputStyle(host, this.flags, () => this.settings.color.value, {
        fields: this.#selection ?? this.#fields,
        columns: this.flags.columns === undefined ? undefined : this.#selection,
        write: this.#write,
      }),
    )
    this.out = createOut(style, {
      stdout: (text) => void host.stdout.write(text),
      stderr: (text) => void host.stderr.write(text),
    })
    this.#prompt = {
      closed: () => whyNotInteractive(host, this.flags),
      form: (questions) => askOnTerminal(questions, host),
    }
  }

  get config(): ConfigFile {
    return this.#config()
  }

  get settings(): Settings {
    return this.#settings()
  }

  async connect(): Promise<Connection> {
    const { token, account } = await this.identity()
    return this.connectAs(account ? ((await this.#speakerOf(account)) ?? (await this.accounts.open(account))) : token)
  }

  async connectSignedIn(): Promise<Connection> {
    const { token, account } = await this.identity()
    if (token !== undefined) return this.connectAs(token)
    const speaker = account && (await this.#speakerOf(account))
    if (!speaker) throw await this.#nobodySignedIn(account)
    return this.connectAs(speaker)
  }

  /** Every command reminds the user of an active impersonation. */
  async #speakerOf(account: AccountRef): Promise<ConnectionCredentials> {
    const speaker = await this.accounts.credentials(account)
    if (isJar(speaker)) this.acting = account
    else if (speaker && this.host.stderr.isTTY) this.out.warn(`IMPERSONATING ${speaker.email}, as ${account.email}`)
    return speaker
  }

  async connectAs(who: ConnectionCredentials): Promise<Connection> {
    const { connect } = await import('./client/connect.ts')
    // One by one: an invalid setting stops only what needs it.
    const { address, timeout, retries, readOnly, debug, label } = this.settings
    const settings = { address, timeout, retries, readOnly, debug, label }
    const onChange = (call: Call) => void this.changes.push(call)
    return connect(who, { ...settings, isDryRun: this.flags.dryRun ?? false, onChange }, this.host)
  }

  ask<K extends string>(questions: Readonly<Record<K, Question>>, ready: string): Promise<Record<K, string>> {
    return askMissing(questions, ready, this.#prompt)
  }

  confirm(question: string, { ready, expected = [] }: { ready: string; expected?: readonly string[] }): Promise<void> {
    return askConsent(question, { ready, expected, yes: this.flags.yes, confirm: this.flags.confirm }, this.#prompt)
  }

  readonly checkPrompt = (flags: readonly string[], ready: string): void => checkPrompt(flags, ready, this.#prompt)

  async begin(flags: Flags, about: CommandMetadata, { fields }: AnswerSpec = about): Promise<void> {
    this.flags = flags
    checkFlags(flags)
    if (about.writes && !flags.dryRun && this.settings.readOnly.value) throw readOnlyError(this.settings.readOnly.from)
    this.#fields = Object.keys(fields)
    this.#selection = selectionOf(flags, fields)
    this.#write = await documentWriter(flags, indentOf(this.host, flags))
  }

  async #nobodySignedIn(account: AccountRef | undefined): Promise<CliError> {
    const {
      value: { base, origin },
      from,
    } = this.settings.address
    if (account)
      return signedOutError(
        `${account.email} is not signed in to ${base}`,
        isEmail(account.email) ? signInLine(account.email) : 'See your accounts: postern auth list',
      )
    const all = (await this.accounts.list()).filter(({ isSignedIn }) => isSignedIn)
    const kept = all.filter((one) => one.origin === origin)
    // A shell that lacks the variable of another one asks the default service.
    const elsewhere = from === 'built-in' ? all[0] : undefined
    if (kept.length === 0)
      return signedOutError(
        `Not signed in to ${base}`,
        elsewhere
          ? `${signInLine()}; you are signed in to ${elsewhere.origin}: --url ${elsewhere.origin}`
          : signInLine(),
      )
    return signedOutError(
      `None of the accounts stored for ${base} is chosen`,
      `postern auth switch ACCOUNT: ${kept.map(({ email }) => email).join(', ')}`,
    )
  }
}

async function askOnTerminal(questions: readonly Question[], host: Host) {
  hideFromInk()
  const { promptForm } = await import('./prompt/prompt-form.tsx')
  return promptForm(questions, host)
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
