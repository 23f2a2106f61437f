import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Context } from '../context.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const lowest = [20, 19] as const

export function nodeFindings(): readonly Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const isOld = major < lowest[0] || (major === lowest[0] && minor < lowest[1])
  const text = `Node ${process.versions.node}`
  return [isOld ? problem('node', `${text} is too old`, `Install Node ${lowest.join('.')} or newer`) : ok('node', text)]
}

/** What output and the terminal UI find. */
export function terminalFindings({ host, out }: Context): readonly Finding[] {
  const { stdout, stdin, env } = host
  if (!stdout.isTTY) return [ok('terminal', 'stdout is no terminal: tables have tabs and whole values')]
  const { width } = out.style.page
  const found = [
    ...(stdin.isTTY
      ? []
      : [warning('terminal', 'stdin is no terminal: nobody can be asked, and there is no terminal UI')]),
    ...(width < 40 ? [warning('terminal', `${width} columns: tables want 40`, 'Make the window wider')] : []),
    ...(env['TERM'] === 'dumb' ? [warning('terminal', 'TERM is dumb: no colour, no terminal UI')] : []),
    ...(isUtf8(env)
      ? []
      : [warning('terminal', 'The locale is not UTF-8: frames and names may look odd', 'export LANG=C.UTF-8')]),
  ]
  return found.length > 0
    ? found
    : [ok('terminal', `${width} columns, ${out.style.hasColor ? 'in colour' : 'without colour'}`)]
}

/** The first of these that says anything counts (POSIX). */
const isUtf8 = (env: Context['host']['env']): boolean =>
  process.platform === 'win32' || /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '')

interface Shell {
  /** Files below the home folder, any of which may have it; of one that is the completion itself its being there is enough. */
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

/** A job has no keys to press. What a shell reads when it starts is its owner's: no `fix` writes there, and it says so. */
export async function completionFindings({ host: { env } }: Context, fix: boolean): Promise<readonly Finding[]> {
  const name = basename(env['SHELL'] ?? '')
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined
  const home = env['HOME']
  if (!shell || !home || env['CI']) return [ok('completion', 'No shell that is known here')]
  const texts = await Promise.all(shell.files.map((file) => readFile(join(home, file), 'utf8').catch(() => '')))
  if (texts.some((text) => /postern/.test(text))) return [ok('completion', `There for ${name}`)]
  const left = fix ? '; --fix leaves files of a shell to you' : ''
  return [warning('completion', `Not there for ${name}${left}`, shell.install)]
}
