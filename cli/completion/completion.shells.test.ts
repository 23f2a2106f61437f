import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { type AnsweringService, startAnswers, usual } from '../testing/answers.ts'
import { type Pty, startPty } from '../testing/pty.ts'
import { bin } from '../testing/real-service.ts'

const at = '2026-01-02T03:04:05.000Z'
const acme = { id: 'o1', name: 'Acme', slug: 'acme-labs', logo: null, metadata: null, createdAt: at }
const ben = { id: 'u2', name: 'Ben', email: 'ben@example.com', image: null }
const member = { id: 'm2', organizationId: 'o1', userId: 'u2', role: 'member', createdAt: at, user: ben }
const team = { id: 't1', name: 'Design team', organizationId: 'o1', createdAt: at, updatedAt: null }

/** After each of these, bash is inside a quote or an expansion. The team names continue from there. */
const openQuotes = ["'", '"', "De'", 'De"', '$', '`', '\\']
const onward = openQuotes.map((quote, index) => ({ ...team, id: `t-${index}`, name: `${quote}; echo é` }))

let service: AnsweringService
beforeAll(async () => {
  service = await startAnswers({
    ...usual(),
    'GET /organization/list': { body: [acme] },
    'GET /organization/list-members': { body: { members: [member], total: 1 } },
    'GET /organization/list-teams': { body: [team, ...onward] },
  })
})
afterAll(() => service.close())

/** Each shell starts without this machine's configuration and loads the script as its help says. */
const shells: Readonly<Record<string, (home: string) => readonly string[]>> = {
  bash: (home) => {
    writeFileSync(join(home, 'rc'), `PS1='ready> '\nbind 'set bell-style none'\nsource <(postern completion bash)\n`)
    return ['--noprofile', '--rcfile', join(home, 'rc'), '-i']
  },
  zsh: (home) => {
    writeFileSync(join(home, '.zshrc'), `PS1='ready> '\nunsetopt beep\nsource <(postern completion zsh)\n`)
    return ['-i']
  },
  fish: () => {
    const prompt = "function fish_prompt; printf 'ready> '; end"
    const quiet = 'set -g fish_greeting; set -g fish_autosuggestion_enabled 0'
    return ['--no-config', '-i', '-C', `${prompt}; ${quiet}; postern completion fish | source`]
  },
}

/** A shell in its own terminal, in which `postern` is the built program. */
function open(shell: string): Pty {
  const home = temporaryFolder('shell')
  const programs = join(home, 'bin')
  mkdirSync(programs)
  symlinkSync(bin, join(programs, 'postern'))
  writeFileSync(join(home, 'passphrase'), '')
  const env = {
    PATH: [programs, process.env.PATH].join(delimiter),
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    POSTERN_CONFIG_DIR: join(home, 'postern'),
    POSTERN_STATE_DIR: join(home, 'state'),
    POSTERN_URL: service.url,
    POSTERN_TOKEN: 'token',
    POSTERN_COMPLETION_TIMEOUT: '60s',
  }
  return startPty(pathOf(shell), shells[shell]?.(home) ?? [], { env, cwd: home, columns: 100 })
}

const pathOf = (shell: string): string =>
  execFileSync('sh', ['-c', 'command -v "$1"', 'sh', shell], { encoding: 'utf8' }).trim()

// Completed after one of these, another user's name would be run by bash.
it.each(openQuotes)('bash is given nothing behind %j', async (word) => {
  const home = temporaryFolder('shell')
  symlinkSync(bin, join(home, 'postern'))
  const script = `source <(postern completion bash); COMP_WORDS=(postern team delete "$WORD"); COMP_CWORD=3
    COMP_LINE="postern team delete $WORD"; COMP_POINT=\${#COMP_LINE}; _postern; printf '<%s>' "\${COMPREPLY[@]}"`
  const given = async (typed: string) => {
    const own = { POSTERN_URL: service.url, POSTERN_TOKEN: 'token', POSTERN_COMPLETION_TIMEOUT: '60s' }
    const env = { PATH: [home, process.env.PATH].join(delimiter), HOME: home, LC_ALL: 'C', WORD: typed, ...own }
    return (await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], { env })).stdout
  }
  expect([await given('Des'), await given(word)]).toEqual([String.raw`<Design\ team>`, '<>'])
})

describe.each(Object.keys(shells))('in %s', (shell) => {
  let terminal: Pty
  beforeAll(async () => {
    terminal = open(shell)
    await terminal.shows('ready>')
  })
  afterAll(() => terminal.close())

  it.each([
    ['a noun', 'postern ses', 'postern session'],
    ['a verb', 'postern session rev', 'postern session revoke'],
    ['a flag', 'postern session revoke --oth', 'postern session revoke --others'],
    ['a JSON field', 'postern session list --json=userA', 'postern session list --json=userAgent'],
    ['a second JSON field', 'postern session list --json=id,userA', 'postern session list --json=id,userAgent'],
    ["an organization's slug", 'postern org use ac', 'postern org use acme-labs'],
    ['the same as a value of a flag', 'postern member list --org ac', 'postern member list --org acme-labs'],
    ['the same behind a sign', 'postern member list --org=ac', 'postern member list --org=acme-labs'],
    ["a member's address, past its @", 'postern member view ben@exam', 'postern member view ben@example.com'],
    [
      'a file, where a flag takes one',
      'postern sign-up --password-file passp',
      'postern sign-up --password-file passphrase',
    ],
    ['a file behind a sign', 'postern sign-up --password-file=passp', 'postern sign-up --password-file=passphrase'],
    ['a file, where an argument is one', 'postern restore passp', 'postern restore passphrase'],
    ['a name of two words', 'postern team delete Des', String.raw`postern team delete Design\ team`],
  ])('completes %s', async (_, typed, completed) => {
    terminal.type(`${typed}\t`)
    expect(await terminal.shows(`ready> ${completed}`)).not.toContain('rror')
    terminal.type('\u0015')
    await terminal.hides(completed)
  })

  it.each([
    ['an argument that nothing is known for', 'postern team delete passp'],
    ['a value that is no file', 'postern sign-up --name passp'],
  ])('offers no file for %s', async (_, typed) => {
    terminal.type(`${typed}\t`)
    // The characters typed afterwards show that the shell has answered.
    terminal.type('zz')
    expect(await terminal.shows(`${typed}zz`)).not.toContain('passphrase')
    terminal.type('\u0015')
    await terminal.hides(typed)
  })
})
