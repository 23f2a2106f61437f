import { proveAddress } from '../../../server/testing/prove-address.ts'
import { testPassword } from '../../../server/testing/service.ts'
import { version } from '../../process/version.ts'
import { type OwnService, signUp } from '../../testing/own-service.ts'
import type { Runner } from '../../testing/run-cli.ts'

type At = Pick<OwnService, 'service' | 'machine'>

export const [ada, bob, eve] = ['ada@example.com', 'bob@example.com', 'eve@example.com'] as const
/** What a session of this program says of itself. */
export const thisProgram = `postern/${version} (${process.platform})`

/** A machine where Ada is signed in; she is also in so many browsers, `Firefox 1` the last that she opened before. */
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

/** Their address is proven, as by a mailed link. */
export const verify = ({ service: { deps } }: At, email: string) => proveAddress(deps.sql, email)
