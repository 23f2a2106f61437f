import { access, constants, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { proxyOf } from '../client/connect.ts'
import { proxyHint, wrongProxies } from '../client/transport/http-client.ts'
import type { Context } from '../context.ts'
import { isInShells } from '../extensions/find.ts'
import { terminalWidth } from '../output/style.ts'
import { version } from '../process/version.ts'
import { allowHttpOf } from '../settings/settings.ts'
import { knownVariables } from '../topics/topics.ts'
import { configFindings, stateFindings } from './files.ts'
import { errorFinding, type Finding, ok, problem, warning } from './findings.ts'
import { serviceFindings, sessionFindings } from './service.ts'

/**
 * Runs all checks, in an order where later ones rely on earlier ones. With `fix`, repairs what is safe before reporting
 * it.
 */
export async function runChecks(context: Context, { fix }: { readonly fix: boolean }): Promise<readonly Finding[]> {
  const mended = fix ? await tryRepair(await localFindings(context)) : []
  const earlier = [
    ...mended,
    ...nodeFindings(),
    ...(await localFindings(context)),
    ...settingFindings(context),
    ...(await networkFindings(context)),
    ...(await serviceFindings(context)),
  ]
  return eachOnce([
    ...earlier,
    ...(await sessionFindings(context, earlier)),
    ...terminalFindings(context),
    ...(await completionFindings(context, fix)),
  ])
}

const localFindings = async (context: Context): Promise<readonly Finding[]> => [
  ...(await configFindings(context)),
  ...(await stateFindings(context)),
]

/** An unreadable setting fails several checks with the same message. */
const eachOnce = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ message }, index) => findings.findIndex((other) => other.message === message) === index)

/** The findings that were repaired. Failed repairs show up again in the next check. */
async function tryRepair(findings: readonly Finding[]): Promise<readonly Finding[]> {
  const mended: Finding[] = []
  // One after the other, so that a folder's permissions are fixed before its files.
  for (const { check, message, repair } of findings)
    if (repair && (await succeeds(repair)))
      mended.push({ check, status: 'ok', message: `Fixed: ${message}`, mend: null })
  return mended
}

const succeeds = (repair: () => Promise<unknown>): Promise<boolean> =>
  repair().then(
    () => true,
    () => false,
  )

const names = [
  'profile',
  'address',
  'account',
  'organization',
  'timeout',
  'retries',
  'color',
  'readOnly',
  'debug',
] as const

/** Checks each setting as a command would read it, and variables that are unknown or contradict each other. */
function settingFindings(context: Context): readonly Finding[] {
  const { settings, host } = context
  const wrong = names.flatMap((name) => settingFinding(context, name))
  const found = [...wrong, ...unknownVariables(host.env), ...contradictions(host.env)]
  return found.length > 0 ? found : [ok('settings', `${settings.address.value.base}, from ${settings.address.from}`)]
}

function settingFinding(context: Context, name: (typeof names)[number]): readonly Finding[] {
  try {
    const { value } = context.settings[name]
    const isClear = typeof value === 'object' && value.allowHttp === true && value.base.startsWith('http:')
    if (!isClear) return []
    const { from } = allowHttpOf(context.settings.address, context)
    return [warning('settings', `${value.base} is used over unencrypted http, allowed by ${from}`, 'Use https')]
  } catch (error) {
    return [errorFinding('settings', error)]
  }
}

function unknownVariables(env: Context['host']['env']): readonly Finding[] {
  const known = knownVariables()
  return Object.keys(env)
    .filter((name) => name.startsWith('POSTERN_') && env[name] !== undefined && !known.includes(name))
    .map((name) =>
      warning('settings', `${name} is set, but nothing reads it`, 'See the known variables: postern help environment'),
    )
}

/** If both are set, only the first is used, though the second was probably intended too. */
const pairs: readonly (readonly [first: string, second: string])[] = [
  ['POSTERN_TOKEN', 'POSTERN_TOKEN_FILE'],
  ['POSTERN_TOKEN', 'POSTERN_ACCOUNT'],
  ['POSTERN_TOKEN_FILE', 'POSTERN_ACCOUNT'],
  ['NO_COLOR', 'FORCE_COLOR'],
]

const contradictions = (env: Context['host']['env']): readonly Finding[] =>
  pairs
    .filter(([first, second]) => env[first] && env[second])
    .map(([first, second]) =>
      warning('settings', `${first} and ${second} are set: the first one is used`, `unset ${second}`),
    )

/** Outgoing connections: the proxy and additional certificate authorities. */
async function networkFindings({ host }: Context): Promise<readonly Finding[]> {
  const settings = proxyOf(host)
  const proxy = settings.https ?? settings.http
  const file = host.env['NODE_EXTRA_CA_CERTS']
  const found = wrongProxies(settings).map((message) => problem('network', message, proxyHint))
  if (proxy && found.length === 0)
    found.push(ok('network', `Through the proxy ${new URL(proxy.url).host}; this machine directly`))
  if (file && !(await isReadable(file)))
    found.push(
      problem(
        'network',
        `NODE_EXTRA_CA_CERTS names ${file}, which cannot be read`,
        'Give the path of a file that you may read',
      ),
    )
  return found.length > 0 ? found : [ok('network', file ? `No proxy; authorities of ${file} too` : 'No proxy')]
}

const isReadable = (file: string): Promise<boolean> =>
  access(file, constants.R_OK).then(
    () => true,
    () => false,
  )

const lowest = [20, 19] as const

function nodeFindings(): readonly Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < lowest[0] || (major === lowest[0] && minor < lowest[1])
  const text = `Node ${process.versions.node}`
  return [isOld ? problem('node', `${text} is too old`, `Install Node ${lowest.join('.')} or newer`) : ok('node', text)]
}

/** What output and the terminal UI can rely on. */
function terminalFindings({ host, out }: Context): readonly Finding[] {
  const { stdout, stdin, env } = host
  if (!stdout.isTTY) return [ok('terminal', 'stdout is not a terminal: tables are tab-separated, with full values')]
  const width = terminalWidth(host)
  const found = [
    ...(stdin.isTTY ? [] : [warning('terminal', 'stdin is not a terminal: no prompts and no terminal UI')]),
    ...(width < 40 ? [warning('terminal', `${width} columns: tables need 40`, 'Make the window wider')] : []),
    ...(env['TERM'] === 'dumb' ? [warning('terminal', 'TERM is dumb: no colour, no terminal UI')] : []),
    ...(isUtf8(env)
      ? []
      : [warning('terminal', 'The locale is not UTF-8: borders and names may look wrong', 'export LANG=C.UTF-8')]),
  ]
  return found.length > 0
    ? found
    : [ok('terminal', `${width} columns, ${out.style.hasColor ? 'in colour' : 'without colour'}`)]
}

/** The first non-empty one of these counts (POSIX). */
const isUtf8 = (env: Context['host']['env']): boolean =>
  process.platform === 'win32' || /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '')

interface Shell {
  /**
   * Files below the home folder, any of which can load the completion. For a file that is the completion itself,
   * existing is enough.
   */
  readonly files: readonly string[]
  readonly install: string
}

const shells: Readonly<Record<string, Shell>> = {
  bash: {
    files: ['.bashrc', '.bash_profile', '.bash_completion', '.local/share/bash-completion/completions/postern'],
    install: "echo 'source <(postern completion bash)' >> ~/.bashrc",
  },
  zsh: {
    files: ['.zshrc', '.zshenv', '.zfunc/_postern'],
    install: "echo 'source <(postern completion zsh)' >> ~/.zshrc",
  },
  fish: {
    files: ['.config/fish/completions/postern.fish', '.config/fish/config.fish'],
    install: 'mkdir -p ~/.config/fish/completions; postern completion fish > ~/.config/fish/completions/postern.fish',
  },
}

/** A line of the script itself, or one that runs or reads it. Others may set POSTERN_URL, or have gone into a comment. */
const loadsCompletion = /^(?!\s*#).*(?:postern.*compl|compl.*postern|compdef _postern)/m

/**
 * A job needs no completion. Shell startup files belong to their owner, so `fix` does not edit them and the finding
 * says so.
 */
async function completionFindings({ host: { env } }: Context, fix: boolean): Promise<readonly Finding[]> {
  const name = basename(env['SHELL'] ?? '')
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined
  const home = env['HOME']
  if (!shell || !home || env['CI']) return [ok('completion', 'The shell is not known here')]
  const texts = await Promise.all(shell.files.map((file) => readFile(join(home, file), 'utf8').catch(() => '')))
  if (texts.some((text) => loadsCompletion.test(text))) return [ok('completion', `Installed for ${name}`)]
  const left = fix ? '; --fix does not edit shell files' : ''
  return [warning('completion', `Not installed for ${name}${left}`, isInShells(env) ? shell.install : globalInstall)]
}

/** Each new shell would complain about a line that runs a program which is not in PATH. */
const globalInstall = `The shells have to find it in PATH. README.md says how to pack it; then: npm install --global ./postern-${version}.tgz`
