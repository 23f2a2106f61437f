import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../server/testing/temporary-folder.ts'
import { runBuilt } from './built.ts'
import { type RealService, startRealService } from './real-service.ts'

const password = 'correct horse battery staple'
const email = 'ann@example.com'
const root = temporaryFolder('known')
let service: RealService

beforeAll(async () => {
  service = await startRealService({ RATE_LIMIT: 'on', TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(async () => {
  await service.stop()
})

/** The built program with a state folder of its own. */
function machine(name: string) {
  const folder = join(root, name)
  const env = { POSTERN_URL: service.url, POSTERN_CONFIG_DIR: folder, POSTERN_STATE_DIR: join(folder, 'state') }
  return (argv: string, input = '') => runBuilt(argv.split(' '), { env, input })
}

/** A wrong guess by somebody somewhere. */
async function guess(index: number): Promise<number> {
  const { status } = await fetch(`${service.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${index}` },
    body: JSON.stringify({ email, password: 'x'.repeat(1025) }),
  })
  return status
}

it('a machine that signed in before does so while strangers lock the account, also after a sign-out', async () => {
  const [laptop, other] = [machine('laptop'), machine('other')]
  const signIn = `sign-in --email ${email} --password-file - --retries 0`
  expect((await laptop(`sign-up --email ${email} --name Ann --password-file -`, password)).code).toBe(0)
  expect((await laptop('sign-out')).code).toBe(0)
  expect((await laptop('whoami')).code).toBe(4)
  const statuses: number[] = []
  for (let index = 0; index < 12; index += 1) statuses.push(await guess(index))
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  expect((await other(signIn, password)).stderr).toContain('Too many requests')
  expect(await laptop(signIn, password)).toMatchObject({ code: 0, stdout: `Signed in as ${email}\n` })
  expect((await laptop('whoami')).stdout).toBe(`${email} (Ann)\n`)
  // Once the jar is gone the machine is nobody's.
  expect((await laptop(`auth jar clear --account ${email} --yes`)).code).toBe(0)
  expect((await laptop(signIn, password)).stderr).toContain('Too many requests')
})
