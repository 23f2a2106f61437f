import { createRemoteJWKSet, jwtVerify } from 'jose'
import { type DemoStep, password } from './demo-steps.ts'

const laptop = (says: string, line: string, expects: RegExp, more: Partial<DemoStep> = {}): DemoStep => ({
  says,
  at: 'laptop',
  args: line.split(' '),
  expects,
  ...more,
})

/** Ann administers the service, and Ben is kept out of it for a moment. */
export const administrationSteps: readonly DemoStep[] = [
  laptop(
    'On the machine of the service: the first administrator',
    'admin bootstrap --email ann@example.com',
    /ann@example\.com/,
  ),
  laptop(
    'Ben is banned',
    '-A ann@example.com admin user ban ben@example.com --reason Spam --for 1h --yes',
    /Banned ben@example\.com/,
  ),
  laptop('and signed out at once', '-P ben whoami', /sign-in/, { exitCode: 4 }),
  laptop('until he is let in again', '-A ann@example.com admin user unban ben@example.com --yes', /ben@example\.com/),
  laptop('which he is', '-P ben sign-in --email ben@example.com --password-file -', /ben@example\.com/, {
    input: password,
  }),
]

export const keyStep = laptop(
  'A pipeline gets a key of its own, for an hour',
  '-A ann@example.com key create gate --org acme --role admin --expires 1h --quiet',
  /pst_/,
)

/** What the pipeline may with it, by POSTERN_TOKEN alone. */
export const gateSteps = (token: string): readonly DemoStep[] => {
  const gate = (says: string, line: string, expects: RegExp, exitCode = 0) =>
    ({ ...laptop(says, line, expects), at: 'pipeline', token, exitCode }) as const
  return [
    gate('The pipeline asks before it goes on: may it invite?', 'role check invitation:create', /Allowed/),
    gate('But it makes no keys', 'key create more --org acme --role member', /[Mm]achine keys/, 5),
    laptop('The key is revoked', '-A ann@example.com key revoke gate --yes', /gate/),
    gate('and the gate is shut', 'role check invitation:create', /./, 4),
  ]
}

export const tokenStep = laptop('A token for another service', '-A ann@example.com api /token', /"token"/)

/** As another service does it, with jose. */
export async function verifyToken(url: string, token: string, say: (text: string) => void): Promise<void> {
  say('# The other service verifies it by the published keys, with jose')
  const keys = createRemoteJWKSet(new URL(`${url}/api/auth/jwks`))
  const { payload } = await jwtVerify(token, keys, { algorithms: ['EdDSA'], issuer: url, audience: url })
  if (payload.email !== 'ann@example.com') throw new Error(`The token is not of Ann: ${JSON.stringify(payload)}`)
  say(`  It is from ${payload.iss}, for ${String(payload.aud)}, and says that ${payload.email} asks\n`)
}
