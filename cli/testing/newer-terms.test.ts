import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RealService, startRealService } from './real-service.ts'
import { createRunner } from './run-cli.ts'

// A service for the newest client: its terms, and what it may keep in a browser.

let service: RealService
beforeAll(async () => {
  service = await startRealService({
    RATE_LIMIT: 'off',
    CLIENT_API: '1.7',
    MULTI_SESSION: '5',
    LAST_LOGIN_METHOD: 'on',
  })
})
afterAll(() => service.stop())

const machine = () => createRunner({ env: { POSTERN_URL: service.url } })
const password = { stdin: 'correct horse battery staple' }
const signUp = (email: string) => `sign-up --email ${email} --name Ann --password-file - --json`

it('is understood as one for the older client is: the same exit codes, and the same codes', async () => {
  const postern = machine()
  expect((await postern('whoami --json')).code).toBe(4)
  expect((await postern(signUp('ann@example.com'), password)).code).toBe(0)
  const taken = await machine()(signUp('ann@example.com'), password)
  expect([taken.code, taken.error['code']]).toEqual([7, 'USER_ALREADY_EXISTS'])
  const wrong = await machine()('sign-in --email ann@example.com --password-file - --json', { stdin: 'wrong' })
  expect([wrong.code, wrong.error['code']]).toEqual([4, 'INVALID_EMAIL_OR_PASSWORD'])
  expect((await postern('org create Acme --slug acme')).code).toBe(0)
  const slug = await postern('org slug check acme --json')
  expect([slug.code, slug.error['code']]).toEqual([7, 'SLUG_IS_TAKEN'])
  const last = await postern('account link remove password --yes --json')
  expect([last.code, last.error['code']]).toEqual([7, 'YOU_CANT_UNLINK_YOUR_LAST_ACCOUNT'])
  // Success for the newest client, whose people ask for what is over already. Here it is a mistyped id.
  expect((await postern('session revoke 0198c5f0-6c1e-7cc2-9f4b-2f6d3c0a1b2c')).code).toBe(6)
  const elsewhere = machine()
  await elsewhere('sign-in --email ann@example.com --password-file -', password)
  expect((await elsewhere('session revoke --others --yes')).code).toBe(0)
  expect((await postern('session list --json')).code).toBe(4)
})

it('keeps the accounts of a machine apart: leaving one leaves the other signed in', async () => {
  const postern = machine()
  await postern(signUp('ben@example.com'), password)
  await postern(signUp('cy@example.com'), password)
  expect((await postern('sign-out --account cy@example.com')).code).toBe(0)
  expect((await postern('whoami --account ben@example.com --json')).json).toMatchObject({ email: 'ben@example.com' })
})
