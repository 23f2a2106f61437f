import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ageDevices } from '../../server/testing/device.ts'
import { testPassword } from '../../server/testing/service.ts'
import type { Session } from '../../shared/entities.ts'
import { decodeLabel, labelHeader } from '../../shared/text-rules.ts'
import { type AnsweringService, startAnswers, usual } from '../testing/answers.ts'
import { type OwnService, startOwnService } from '../testing/own-service.ts'
import { createRunner, type Runner } from '../testing/run-cli.ts'

let own: OwnService
let answering: AnsweringService
beforeAll(async () => {
  own = await startOwnService({ RATE_LIMIT: 'off' })
  answering = await startAnswers(usual())
})
afterAll(async () => {
  await own.stop()
  await answering.close()
})

const hostname = 'anns-laptop.home.example.com'
let email: string
let postern: Runner
let people = 0
beforeEach(() => {
  people += 1
  email = `labels-${people}@example.com`
  postern = createRunner({ env: { POSTERN_URL: own.url }, hostname })
})

const stdin = `${testPassword}\n`
const signUp = (more = '') => postern(`sign-up --email ${email} --name Ann --password-file - ${more}`, { stdin })
const signIn = (more = '', options = {}) =>
  postern(`sign-in --email ${email} --password-file - ${more}`, { stdin, ...options })
const listed = async (): Promise<readonly Pick<Session, 'label' | 'id'>[]> =>
  ((await postern('session list --json')).json as { items: Session[] }).items
const labels = async () => (await listed()).map(({ label }) => label)

describe('a new session is called by the name of the machine', () => {
  it('up to the first dot, at sign-up and at sign-in, in the list and when it is looked at', async () => {
    await signUp()
    expect(await labels()).toEqual(['anns-laptop'])
    const [session] = await listed()
    expect((await postern(`session view ${session?.id}`)).stdout).toContain('anns-laptop')
    expect((await postern('session list', { tty: ['stdout'], columns: 200 })).stdout).toMatch(/LABEL.*\n.*anns-laptop/)
    expect((await postern('account activity', { tty: ['stdout'], columns: 200 })).stdout).toContain('label=anns-laptop')
  })

  it('unless --label or POSTERN_NO_LABEL says otherwise; the flag counts more', async () => {
    await signUp('--label desk')
    expect(await labels()).toEqual(['desk'])
    const env = { POSTERN_NO_LABEL: 'on' }
    await signIn('', { env })
    expect(await labels()).toEqual([null])
    await postern(['sign-in', '--email', email, '--password-file', '-', '--label', 'Büro  2'], { stdin, env })
    expect(await labels()).toEqual(['Büro 2'])
  })

  it.each([
    [['--label', ''], '--label is empty\n  next: To send no label: POSTERN_NO_LABEL=on\n'],
    [['--label', 'x'.repeat(65)], '--label has more than 64 characters'],
  ])('and a label that cannot be is refused before anything is sent: %j', async (words, said) => {
    const { code, stderr } = await postern(['sign-in', '--email', email, '--password-file', '-', ...words], { stdin })
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
  })

  it('where it begins in a browser: of the machine that asked, by a ticket too', async () => {
    const person = await own.service.person()
    const { ticket, userCode } = (await postern('sign-in --start --json --label build-7')).json as Record<
      string,
      string
    >
    expect((await person.get(`/device?user_code=${userCode}`)).body.label).toBe('build-7')
    await person.post('/device/approve', { userCode })
    await ageDevices(own.service, 6)
    const resumed = await postern(`sign-in --resume ${ticket} --wait 0`, { hostname: 'elsewhere' })
    expect(resumed.code).toBe(0)
    expect((await listed()).map(({ label }) => label)).toContain('build-7')
    expect((await postern(`sign-in --resume ${ticket} --label other`)).code).toBe(2)
  })

  it('and stays when the password is changed, which begins another session', async () => {
    await signUp('--label desk')
    const { code } = await postern([
      'api',
      '/change-password',
      '-f',
      `currentPassword=${testPassword}`,
      '-f',
      'newPassword=another horse staple 9',
      '-F',
      'revokeOtherSessions=true',
    ])
    expect([code, await labels()]).toEqual([0, ['desk']])
  })
})

it('says it to the calls that begin a session, and to no other', async () => {
  Object.assign(answering.answers, usual())
  const here = createRunner({ env: { POSTERN_URL: answering.url }, hostname: 'Anns Büro' })
  await here('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  await here('whoami')
  await here('session list')
  const said = answering.seen.map(({ call, headers }) => [call, decodeLabel(String(headers[labelHeader] ?? ''))])
  expect(said[0]).toEqual(['POST /sign-in/email', 'Anns Büro'])
  expect(said.slice(1).filter(([, label]) => label !== null)).toEqual([])
  expect(said.length).toBeGreaterThan(2)
})

it('a machine that is called localhost says nothing', async () => {
  answering.forget()
  const here = createRunner({ env: { POSTERN_URL: answering.url }, hostname: 'localhost' })
  await here('sign-in --email alice@example.com --password-file -', { stdin: 'pw' })
  expect(answering.seen.map(({ call, headers }) => [call, headers[labelHeader]])).toEqual([
    ['POST /sign-in/email', undefined],
  ])
})

it('and to one that is only given by its path', async () => {
  answering.forget()
  const here = createRunner({ env: { POSTERN_URL: answering.url }, hostname: 'desk' })
  await here('api /sign-in/email -f email=alice@example.com -f password=pw')
  await here('api /update-user -f name=Alice')
  const said = answering.seen.map(({ call, headers }) => [call, decodeLabel(String(headers[labelHeader] ?? ''))])
  expect(said).toEqual([
    ['POST /sign-in/email', 'desk'],
    ['POST /update-user', null],
  ])
})
