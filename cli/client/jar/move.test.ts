import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { moveJar, openJar } from './jar.ts'

const origin = 'https://id.example.com'
let folder: string
beforeEach(() => {
  folder = temporaryFolder('jars')
})
const file = (name: string) => join(folder, `${name}.json`)
const move = () => moveJar(file('old'), file('new'), 'new@example.com')

it('keeps the session under the new account, for its owner only', async () => {
  const jar = await openJar(file('old'), origin, 'old@example.com')
  await jar.store(`${origin}/`, ['postern.session_token=s; Path=/; Secure; HttpOnly'])
  await move()
  const moved = await openJar(file('new'), origin, 'new@example.com')
  expect(await moved.cookieHeader(`${origin}/`)).toBe('postern.session_token=s')
  expect(statSync(file('new')).mode & 0o777).toBe(0o600)
  expect(existsSync(file('old'))).toBe(false)
})

it('replaces what the new account had, and changes nothing where there is nothing to move', async () => {
  const stale = await openJar(file('new'), origin, 'new@example.com')
  await stale.setToken('stale')
  await move()
  expect((await openJar(file('new'), origin, 'new@example.com')).token()).toBe('stale')
  await (await openJar(file('old'), origin, 'old@example.com')).setToken('fresh')
  await move()
  expect((await openJar(file('new'), origin, 'new@example.com')).token()).toBe('fresh')
})
