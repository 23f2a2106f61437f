import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnsweringService, startAnswers, user, usual } from './answers.ts'
import { createRunner, type Runner } from './run-cli.ts'

const email = 'alice@example.com'
let [mine, wrong]: AnsweringService[] = []
let postern: Runner

beforeAll(async () => {
  mine = await startAnswers(usual())
  wrong = await startAnswers(usual())
})
afterAll(() => Promise.all([mine?.close(), wrong?.close()]))

beforeEach(async () => {
  postern = createRunner()
  for (const service of [mine!, wrong!]) Object.assign(service.answers, usual())
  await signIn(mine!, 'mine')
  for (const service of [mine!, wrong!]) service.forget()
})

const signIn = (service: AnsweringService, token: string) => {
  service.answers['POST /sign-in/email'] = {
    body: { redirect: false, token, user },
    headers: { 'set-cookie': `postern.session_token=${token}; Path=/; HttpOnly; Domain=localhost` },
  }
  return postern(`sign-in --url ${service.url} --email ${email} --password-file -`, { stdin: 'pw' })
}

const proofs = (service: AnsweringService) =>
  service.seen.map(({ headers }) => [headers.cookie, headers.authorization]).filter((pair) => pair.some(Boolean))

describe('a changed address takes no session along', () => {
  const ways: Readonly<Record<string, (url: string) => Promise<{ flags: string; env: Record<string, string> }>>> = {
    'by --url': async (url) => ({ flags: `--url ${url}`, env: {} }),
    'by POSTERN_URL': async (url) => ({ flags: '', env: { POSTERN_URL: url } }),
    'by another profile': async (url) => {
      await postern(`profile create home --url ${mine!.url} --account ${email}`)
      await postern(`profile create other --url ${url} --account ${email}`)
      return { flags: '-P other', env: {} }
    },
    'by the profile in use, made anew': async (url) => {
      await postern(`profile create home --url ${mine!.url} --account ${email}`)
      await postern('profile use home')
      expect((await postern('whoami')).code).toBe(0)
      await postern('profile delete home')
      await postern(`profile create home --url ${url} --account ${email}`)
      return { flags: '-P home', env: {} }
    },
    'by the config file': async (url) => {
      await postern(`config set url ${url}`)
      return { flags: '', env: {} }
    },
  }

  it.each(
    Object.keys(ways).flatMap((way) => ['another port', 'another name of the host'].map((to) => [way, to] as const)),
  )('%s, to %s', async (way, to) => {
    const url = to === 'another port' ? wrong!.url : mine!.url.replace('localhost', '127.0.0.1')
    const target = to === 'another port' ? wrong! : mine!
    const { flags, env } = await ways[way]!(url)
    target.forget()
    for (const account of ['', `-A ${email}`]) {
      expect((await postern(`whoami ${flags} ${account}`, { env })).code).toBe(4)
      expect((await postern(`auth token ${flags} ${account}`, { env })).stdout).toBe('')
      await postern(`api /ok ${flags} ${account}`, { env })
    }
    expect(target.calls()).toEqual(['GET /ok', 'GET /ok'])
    expect(proofs(target)).toEqual([])
  })

  it('and each server gets its own, of the same account', async () => {
    await signIn(wrong!, 'other')
    for (const service of [mine!, wrong!]) service.forget()
    for (const { url } of [mine!, wrong!, mine!]) await postern(`whoami --url ${url}`)
    expect(proofs(mine!)).toEqual([
      ['postern.session_token=mine', undefined],
      ['postern.session_token=mine', undefined],
    ])
    expect(proofs(wrong!)).toEqual([['postern.session_token=other', undefined]])
  })
})

it('a server that leads elsewhere gets no command to follow', async () => {
  for (const call of ['GET /get-session', 'POST /update-user'])
    mine!.answers[call] = { status: 307, headers: { location: `${wrong!.url}/api/auth/get-session` } }
  const url = mine!.url
  expect((await postern(`whoami --url ${url}`)).code).toBe(11)
  expect((await postern(`account edit --name Al --url ${url}`)).code).toBe(11)
  expect(wrong!.seen).toEqual([])
})
