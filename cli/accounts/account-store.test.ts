import { expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { createAccountStore } from './account-store.ts'

const account = { origin: 'https://id.example.com', email: 'me@example.com' }

const accounts = () => createAccountStore(temporaryFolder('accounts'), Date.now)

it('adopts a token while others always find the account signed in', async () => {
  const { adopt, find } = accounts()
  await adopt(account, 'first')
  let isOver = false
  const found: boolean[] = []
  const looking = (async () => {
    while (!isOver) found.push((await find(account)) !== undefined)
  })()
  for (let number = 0; number < 30; number++) await adopt(account, `token-${number}`)
  isOver = true
  await looking
  expect(found).not.toContain(false)
  expect(found.length).toBeGreaterThan(30)
})

it('leaves nothing of the session of before to an adopted one', async () => {
  const { adopt, impersonate, impersonation, open, token } = accounts()
  await (await open(account)).store(`${account.origin}/`, ['postern.session_token=old; Path=/'])
  await impersonate(account, { email: 'bob@example.com', token: 'theirs', expiresAt: '2026-01-09T03:04:05.000Z' })
  await adopt(account, 'new')
  expect([await token(account), await impersonation(account)]).toEqual(['new', undefined])
  expect(await (await open(account)).cookieHeader(`${account.origin}/`)).toBe('')
})

it('of two impersonations that begin at once the first is the one, and only who holds it ends it', async () => {
  const { impersonate, impersonation, endImpersonation } = accounts()
  const as = (email: string) => ({ email, token: email, expiresAt: '2026-01-09T03:04:05.000Z' })
  const [bob, carol] = [as('bob@example.com'), as('carol@example.com')]
  expect([await impersonate(account, bob), await impersonate(account, carol)]).toEqual([bob, bob])
  expect(await endImpersonation(account, carol)).toEqual(bob)
  expect(await impersonation(account)).toEqual(bob)
  expect(await endImpersonation(account, bob)).toBeUndefined()
  expect(await impersonation(account)).toBeUndefined()
})

it('keeps the session when what is to be adopted cannot be stored', async () => {
  const { adopt, token } = accounts()
  await adopt(account, 'first')
  await expect(adopt(account, 'two words')).rejects.toThrow('invalid characters')
  expect(await token(account)).toBe('first')
})
