import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AnsweringService, startAnswers, usual } from './answers.ts'
import { patience } from './patience.ts'
import { bin } from './real-service.ts'
import { createRunner, type Runner } from './run-cli.ts'

/** What takes the place of curl where there is none: just the options that are printed. */
const standIn = `#!${process.execPath}
require('node:net').setDefaultAutoSelectFamilyAttemptTimeout(${patience})
const [url, options] = [new URL(process.argv.at(-1)), process.argv.slice(2, -1)]
const lines = () => require('node:fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)
const config = (options.includes('-K') ? lines() : []).map((line) => /^([a-z-]+)="(.*)"$/.exec(line).slice(1))
  .map(([name, text]) => [name, text.replaceAll(/\\\\(.)/g, (_, one) => (one === 'n' ? '\\n' : one))])
const after = (name) => options.flatMap((word, at) => (options[at - 1] === name ? [word] : []))
const given = (name) => config.flatMap(([other, text]) => (other === name ? [text] : []))
const [method = 'GET'] = after('-X')
const headerLines = [...after('-H'), ...given('header')].flatMap((line) => (line === '@-' ? lines() : line))
const headers = Object.fromEntries(headerLines.map((line) => line.split(/: (.*)/s)))
for (const pair of given('data-urlencode')) {
  const [key, value] = pair.split(/=(.*)/s)
  url.searchParams.append(decodeURIComponent(key), value)
}
const [body] = [...after('--data-raw'), ...given('data-raw')]
fetch(url, { method, headers, body }).then((answer) => answer.text()).then((text) => process.stdout.write(text))
`

/** Tells its arguments, which everybody on the machine can read, and runs the next curl of PATH. */
const teller = `#!/bin/sh
printf '%s\\n' "$@" >> "$ARGUMENTS"
PATH=\${PATH#*:} exec curl "$@"
`

let [here, there]: AnsweringService[] = []
let postern: Runner
let folder: string

beforeAll(async () => {
  here = await startAnswers(usual())
  there = await startAnswers(usual())
})
afterAll(() => Promise.all([here?.close(), there?.close()]))

beforeEach(async () => {
  postern = createRunner()
  folder = join(postern.folder, 'programs')
  mkdirSync(folder)
  program('postern', `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  program('curl', teller)
  program(join('last', 'curl'), standIn)
  for (const service of [here, there]) service?.forget()
})

function program(name: string, text: string): void {
  mkdirSync(join(folder, 'last'), { recursive: true })
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), 0o755)
}

/** Signs an account in whose token tells whose it is. */
async function signIn(service: AnsweringService, email: string, token: string): Promise<void> {
  service.answers['POST /sign-in/email'] = {
    body: { redirect: false, token, user: { ...aUser, email } },
    headers: { 'set-auth-token': token, 'set-cookie': `postern.session_token=${token}; Path=/; HttpOnly` },
  }
  const { code, stderr } = await postern(`sign-in --url ${service.url} --email ${email} --password-file -`, {
    stdin: 'pw',
  })
  expect([code, stderr.includes('error')]).toEqual([0, false])
}

const aUser = { id: 'u1', name: 'A', image: null, emailVerified: false, createdAt: at(), updatedAt: at() }
function at(): string {
  return '2026-01-02T03:04:05.000Z'
}

/** The line that is printed, run by a shell that has nothing but PATH and the folders of the runner. */
async function runPrinted(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, code } = await postern([...argv, '--print', 'curl'], { env })
  expect(code).toBe(0)
  return runLine(stdout, env)
}

async function runLine(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const PATH = `${folder}:${process.env.PATH ?? ''}:${join(folder, 'last')}`
  const variables = { ...postern.env, ...env, PATH, ARGUMENTS: argumentsFile() }
  return (await promisify(execFile)('/bin/sh', ['-c', line], { env: variables })).stdout
}

const argumentsFile = (): string => join(postern.folder, 'arguments')

/** The arguments of every curl so far. */
const allArguments = (): string => readFileSync(argumentsFile(), 'utf8')

const bearers = (service: AnsweringService | undefined) =>
  service?.seen.filter(({ call }) => call !== 'POST /sign-in/email').map(({ headers }) => headers.authorization)

it('a printed line sends the session that it was printed for, whoever is signed in where it runs', async () => {
  await signIn(here!, 'ann@example.com', 'ann-here')
  await signIn(here!, "o'neil+id@example.com", 'oneil-here')
  await signIn(there!, 'ann@example.com', 'ann-there')
  await signIn(there!, 'bob@example.com', 'bob-there')
  for (const service of [here!, there!]) service.forget()
  await runPrinted(['api', '/get-session', '--url', there!.url])
  await runPrinted(['api', '/get-session', '--url', there!.url, '-A', 'ann@example.com'])
  await runPrinted(['api', '/get-session', '--url', here!.url, '-A', "o'neil+id@example.com"])
  // The shell's own settings choose another server and another account.
  await runPrinted(['api', '/get-session', '--url', here!.url, '-A', 'ann@example.com'], { POSTERN_URL: there!.url })
  expect(bearers(there)).toEqual(['Bearer bob-there', 'Bearer ann-there'])
  expect(bearers(here)).toEqual(['Bearer oneil-here', 'Bearer ann-here'])
  expect(allArguments()).toContain('/get-session')
  expect(allArguments()).not.toMatch(/Bearer|-(?:here|there)$/m)
})

it('the example of auth token sends the token, but not as an argument', async () => {
  await signIn(here!, 'ann@example.com', 'ann-here')
  here!.forget()
  const { stdout } = await postern('auth token --help', { columns: 200 })
  const example = /^ +(.*\| curl .*)$/m.exec(stdout)?.[1]?.replaceAll('http://localhost:4100', here!.url) ?? ''
  await runLine(example)
  expect(bearers(here)).toEqual(['Bearer ann-here'])
  expect(allArguments()).not.toMatch(/Bearer|ann-here/)
})

it('a printed line takes the token of the environment, or none', async () => {
  await signIn(here!, 'ann@example.com', 'ann-here')
  here!.forget()
  const env = { POSTERN_URL: here!.url }
  await runPrinted(['api', '/get-session'], { ...env, POSTERN_TOKEN: 'mine' })
  const file = join(postern.folder, "the token's file")
  writeFileSync(file, 'kept\n')
  await runPrinted(['api', '/get-session'], { ...env, POSTERN_TOKEN_FILE: file })
  const { stdout } = await postern('api /get-session --print curl', { env: { ...env, POSTERN_TOKEN: 'mine' } })
  // Elsewhere it is not set: better no request than one of the account that happens to be current there.
  await expect(runLine(stdout)).rejects.toThrow(/POSTERN_TOKEN/)
  expect(bearers(here)).toEqual(['Bearer mine', 'Bearer kept'])
  expect(allArguments()).not.toMatch(/Bearer|mine|kept/)
})

it('a printed line sends nothing if the token or a file cannot be read', async () => {
  await signIn(here!, 'ann@example.com', 'ann-here')
  const env = { POSTERN_URL: here!.url }
  const file = join(postern.folder, 'password')
  writeFileSync(file, 'hunter2\n')
  const lines = [['/get-session'], ['/get-session', '-X', 'GET', '-F', `a=@${file}`], ['/change', '-F', `a=@${file}`]]
  const printed = await Promise.all(
    lines.map(async (words) => (await postern(['api', ...words, '--print', 'curl'], { env })).stdout),
  )
  await postern('sign-out', { env })
  here!.forget()
  for (const line of printed) await expect(runLine(line)).rejects.toThrow(/Not signed in/)
  await signIn(here!, 'ann@example.com', 'ann-here')
  here!.forget()
  rmSync(file)
  for (const line of printed.slice(1)) await expect(runLine(line)).rejects.toThrow(/password/)
  expect([here!.seen, existsSync(argumentsFile())]).toEqual([[], false])
})

it('a printed line sends what files hold, and every odd value as it is', async () => {
  const file = join(postern.folder, 'a "password" of $HOME')
  const secret = 'it\'s "$(id)" `id` \\n %s\n\\"ü'
  writeFileSync(file, `${secret}\n`)
  const odd = 'O\'Neil "$(id)" `id` \\ $HOME'
  const withFile = ['-f', `name=${odd}`, '-F', `it's a "50%" \\=@${file}`]
  const held = { name: odd, 'it\'s a "50%" \\': secret }
  for (const env of [{ POSTERN_URL: here!.url }, { POSTERN_URL: here!.url, POSTERN_TOKEN: 'my%20token%s' }]) {
    here!.forget()
    await runPrinted(['api', '/update-user', '-f', `name=${odd}`, '-F', 'image=null'], env)
    await runPrinted(['api', '/change', ...withFile], env)
    await runPrinted(['api', '/verify-email?a=b?c', '-X', 'GET', ...withFile, '-F', `too=@${file}`], env)
    expect(here!.seen).toMatchObject([
      { call: 'POST /update-user', body: { name: odd, image: null } },
      { call: 'POST /change', body: held },
      { call: 'GET /verify-email', query: { a: 'b?c', ...held, too: secret } },
    ])
    const bearer = 'POSTERN_TOKEN' in env ? `Bearer ${env.POSTERN_TOKEN}` : undefined
    expect(bearers(here)).toEqual([bearer, bearer, bearer])
    expect(here!.seen[1]?.headers['content-type']).toBe('application/json')
  }
  expect(allArguments()).not.toMatch(/it's "|my%20/)
})
