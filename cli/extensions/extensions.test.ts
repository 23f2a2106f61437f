import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTurn, timeFor } from '../../server/testing/rounds.ts'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { runBuilt } from '../testing/built.ts'
import { startPty } from '../testing/pty.ts'
import { bin } from '../testing/real-service.ts'

/** A machine with these shell scripts in a folder of PATH. */
function machine(scripts: Readonly<Record<string, string>>) {
  const folder = temporaryFolder('extensions')
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const env = {
    PATH: `${programs}:${process.env.PATH ?? ''}`,
    POSTERN_CONFIG_DIR: join(folder, 'config'),
    POSTERN_STATE_DIR: join(folder, 'state'),
  }
  const run = (line: string, options: Parameters<typeof runBuilt>[1] = {}) =>
    runBuilt(line.split(' '), { ...options, env: { ...env, ...options.env } })
  return { folder, programs, env, run }
}

describe('a program postern-NAME in PATH', () => {
  it('runs as postern NAME, with its own streams, words and exit code', async () => {
    const { run } = machine({ 'postern-hello': `read line; printf '%s|' "$line" "$@"; echo oops >&2; exit 42` })
    expect(await run('hello --json -x --', { input: 'from stdin\n' })).toEqual({
      code: 42,
      signal: null,
      stdout: 'from stdin|--json|-x|--|',
      stderr: 'oops\n',
    })
  })

  it('is told the service, and the flags before its name', async () => {
    const { run } = machine({ 'postern-env': 'env | grep ^POSTERN_ | grep -v DIR | sort' })
    const told = async (line: string, env = {}) => (await run(line, { env })).stdout.split('\n').filter(Boolean)
    expect(await told('env')).toEqual(['POSTERN_SERVER=http://localhost:4100/api/auth'])
    expect(await told('-O acme --url http://localhost:9 -A ann@example.com env')).toEqual([
      'POSTERN_ACCOUNT=ann@example.com',
      'POSTERN_ORG=acme',
      'POSTERN_SERVER=http://localhost:9/api/auth',
      'POSTERN_URL=http://localhost:9',
    ])
    expect(await told('env', { POSTERN_URL: 'http://localhost:8/x' })).toContain('POSTERN_SERVER=http://localhost:8/x')
    expect(await run('--json env')).toMatchObject({ code: 2, stdout: '' })
    expect(await run('--nonesuch env')).toMatchObject({ code: 2, stdout: '' })
  })

  it('acts as the account of --account, not by a token of the environment', async () => {
    const { run } = machine({ 'postern-env': 'env | grep -E "^POSTERN_(ACCOUNT|TOKEN)" | sort' })
    const tokens = { POSTERN_TOKEN: 'of-bob', POSTERN_TOKEN_FILE: '/of/bob' }
    const told = async (line: string, env = {}) => (await run(line, { env: { ...tokens, ...env } })).stdout
    expect(await told('-A ann@example.com env')).toBe('POSTERN_ACCOUNT=ann@example.com\n')
    const kept = 'POSTERN_TOKEN=of-bob\nPOSTERN_TOKEN_FILE=/of/bob\n'
    expect(await told('-O acme env')).toBe(kept)
    // The variable ranks below a token, in the program as here.
    expect(await told('env', { POSTERN_ACCOUNT: 'ann@example.com' })).toBe(`POSTERN_ACCOUNT=ann@example.com\n${kept}`)
  })

  it('finds the settings that a command would find, whichever variables compete', timeFor(12, 4), async () => {
    const { run } = machine({ 'postern-explain': `exec '${process.execPath}' '${bin}' auth status --explain --json` })
    await run('profile create there --url http://localhost:8 --account of-profile@example.com')
    const others = { POSTERN_ACCOUNT: 'of-variable@example.com', POSTERN_ORG: 'of-variable', POSTERN_TOKEN: 'of-bob' }
    const settingsOf = async (line: string, env: Readonly<Record<string, string>>) => {
      const { items } = JSON.parse((await run(line, { env })).stdout) as { items: { setting: string; value: string }[] }
      const value = (name: string) => items.find(({ setting }) => setting === name)?.value
      return ['url', 'profile', 'account', 'token', 'org'].map(value)
    }
    const environments = [{}, others, { ...others, POSTERN_URL: 'http://localhost:7', POSTERN_PROFILE: 'there' }]
    for (const [place, flags] of ['--url http://localhost:9', '-P there', '-A ann@example.com', '-O acme'].entries())
      for (const env of inTurn(environments, place)) {
        const asCommand = await settingsOf(`${flags} auth status --explain --json`, env)
        expect(await settingsOf(`${flags} explain`, env)).toEqual(asCommand)
      }
  })

  it('never takes the place of a command or of an alias', async () => {
    const { run } = machine({ 'postern-version': 'echo wrong', 'postern-mine': 'echo wrong' })
    await run('alias set mine version')
    for (const line of ['version', 'mine']) expect((await run(line)).stdout).toMatch(/^\d/)
    const { stdout } = await run('extension list --json=name,hiddenBy')
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        { name: 'mine', hiddenBy: 'an alias' },
        { name: 'version', hiddenBy: 'a command' },
      ],
    })
  })

  it('is none in the current folder, without the right to run it, or by another name', async () => {
    const { run, programs, env } = machine({ 'postern-here': 'echo wrong', other: 'echo wrong' })
    writeFileSync(join(programs, 'postern-note'), 'no program', { mode: 0o644 })
    mkdirSync(join(programs, 'postern-folder'))
    const usual = process.env.PATH ?? ''
    for (const PATH of [usual, `:${usual}`, `${usual}:`, `.:${usual}`, `../bin:${usual}`])
      expect((await runBuilt(['here'], { env: { ...env, PATH }, cwd: programs })).code).toBe(2)
    for (const line of ['note', 'folder', '../bin/other', 'other', '.'])
      expect([line, (await run(line)).code]).toEqual([line, 2])
  })

  it('is listed once, where PATH has it first, also by help', async () => {
    const { run, programs, env } = machine({ 'postern-two': 'exit 0', 'postern-one': 'exit 0' })
    const PATH = `${env.PATH}:/nowhere:${programs}`
    const { stdout } = await run('extension list', { env: { PATH } })
    expect(stdout).toBe(`one\t${programs}/postern-one\t\ntwo\t${programs}/postern-two\t\n`)
    expect((await run('help', { env: { PATH } })).stdout).toMatch(/Extensions: .*\n {2}one +\//)
  })

  it('is not told by help if a command or an alias of the same name runs instead', async () => {
    const { run, programs, env } = machine({
      'postern-org': 'exit 0',
      'postern-mine': 'exit 0',
      'postern-own': 'exit 0',
    })
    const PATH = `${env.PATH}:${programs}`
    await run('alias set mine whoami')
    const { stdout } = await run('help', { env: { PATH } })
    expect(stdout).toMatch(/Extensions: .*\n {2}own +\//)
    expect(stdout).not.toMatch(/postern-(?:org|mine)/)
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('gets %s, and decides what becomes of it', async (signal) => {
    const name = signal.slice(3)
    const { run } = machine({
      'postern-heeds': `trap 'echo got ${name}; exit 7' ${name}; echo ready; while :; do sleep 0.05; done`,
      'postern-dies': 'echo ready; exec sleep 600',
    })
    const during = async (child: { stdout: unknown; kill: (name: NodeJS.Signals) => boolean }) => {
      await new Promise((resolve) => (child.stdout as NodeJS.ReadableStream).once('data', resolve))
      child.kill(signal)
    }
    expect(await run('heeds', { during })).toMatchObject({ code: 7, stdout: `ready\ngot ${name}\n` })
    expect(await run('dies', { during })).toMatchObject({ code: null, signal })
  })

  it('gets Ctrl+C of a terminal once', async () => {
    const { env } = machine({
      'postern-counts': `n=0; trap 'n=$((n+1))' INT; echo ready; while [ $n -eq 0 ]; do sleep 0.05; done; sleep 0.3; echo "got $n"; exit 3`,
    })
    const terminal = startPty(process.execPath, [bin, 'counts'], { env })
    await terminal.shows('ready')
    terminal.type('\u0003')
    await terminal.shows('got 1')
    expect((await terminal.exit).exitCode).toBe(3)
    terminal.close()
  })

  it('that was killed, or cannot be started, is no success', async () => {
    const { run, programs } = machine({ 'postern-gone': 'kill -9 $$' })
    writeFileSync(join(programs, 'postern-lost'), '#!/nowhere/interpreter\n', { mode: 0o755 })
    expect(await run('gone')).toMatchObject({ code: null, signal: 'SIGKILL' })
    expect(await run('lost')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('postern-lost cannot be started'),
    })
  })
})
