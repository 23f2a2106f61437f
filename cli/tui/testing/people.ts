import { proveAddress } from '../../../server/testing/prove-address.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { version } from '../../process/version.ts'
import { type OwnService, signUp } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'

type At = Pick<OwnService, 'service' | 'machine'>

export const [ada, bob, eve] = ['ada@example.com', 'bob@example.com', 'eve@example.com'] as const
/** The user agent of this program's sessions. */
export const thisProgram = `postern/${version} (${process.platform})`

/**
 * A machine that Ada is signed in on. She is also signed in from this many browsers, `Firefox 1` being the most recent.
 */
export async function signedIn(at: At, browsers = 0, name = 'Firefox'): Promise<Runner> {
  const machine = at.machine()
  if (browsers === 0) return signUp(machine, ada, 'Ada Lovelace')
  const credentials = { email: ada, password: testPassword }
  const open = (path: string, number: number, more = {}) =>
    at.service.visitor().post(path, { ...credentials, ...more }, { 'user-agent': `${name} ${number}` })
  await open('/sign-up/email', browsers, { name: 'Ada Lovelace' })
  for (let number = browsers - 1; number > 0; number -= 1) await open('/sign-in/email', number)
  await signIn(machine, ada)
  return machine
}

export async function signIn(machine: Runner, email: string): Promise<void> {
  const { code, stderr } = await machine(`sign-in --email ${email} --password-file -`, { stdin: testPassword })
  if (code !== 0) throw new Error(stderr)
}

/** Marks the address as verified, as a mailed link would. */
export const verify = ({ service: { deps } }: At, email: string) => proveAddress(deps.sql, email)
