import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
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
const after = (name) => options.flatMap((word, at) => (options[at - 1] === name ? [word] : []))
const [method = 'GET'] = after('-X')
const headers = Object.fromEntries(after('-H').map((line) => line.split(/: (.*)/s)))
for (const pair of after('--data-urlencode')) url.searchParams.append(...pair.split(/=(.*)/s))
const [body = method === 'POST' ? require('node:fs').readFileSync(0, 'utf8') : undefined] = after('--data-raw')
fetch(url, { method, headers, body }).then((answer) => answer.text()).then((text) => process.stdout.write(text))
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
  const path = `${folder}:${process.env.PATH ?? ''}:${join(folder, 'last')}`
  const done = await promisify(execFile)('/bin/sh', ['-c', stdout], { env: { ...postern.env, ...env, PATH: path } })
  return done.stdout
}

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
  const path = `${folder}:${process.env.PATH ?? ''}:${join(folder, 'last')}`
  // Elsewhere it is not set: better no request than one of the account that happens to be current there.
  const elsewhere = promisify(execFile)('/bin/sh', ['-c', stdout], { env: { ...postern.env, PATH: path } })
  await expect(elsewhere).rejects.toThrow(/POSTERN_TOKEN/)
  expect(bearers(here)).toEqual(['Bearer mine', 'Bearer kept'])
})

it('a printed line sends what files hold, and every odd value as it is', async () => {
  const file = join(postern.folder, 'a "password" of $HOME')
  writeFileSync(file, 'it\'s "$(id)" `id` \\n ü\n')
  const odd = 'O\'Neil "$(id)" `id` \\ $HOME'
  const env = { POSTERN_URL: here!.url }
  await runPrinted(['api', '/update-user', '-f', `name=${odd}`, '-F', 'image=null'], env)
  await runPrinted(['api', '/change', '-f', `name=${odd}`, '-F', `password=@${file}`], env)
  await runPrinted(['api', '/verify-email', '-X', 'GET', '-f', `name=${odd}`, '-F', `token=@${file}`], env)
  expect(here!.seen).toMatchObject([
    { call: 'POST /update-user', body: { name: odd, image: null } },
    { call: 'POST /change', body: { name: odd, password: 'it\'s "$(id)" `id` \\n ü' } },
    { call: 'GET /verify-email', query: { name: odd, token: 'it\'s "$(id)" `id` \\n ü' } },
  ])
})
