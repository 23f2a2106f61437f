import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { betterAuth } from 'better-auth-1.7'
import { memoryAdapter } from 'better-auth-1.7/adapters/memory'
import { toNodeHandler } from 'better-auth-1.7/node'
import * as plugins from 'better-auth-1.7/plugins'
import { createAccessControl } from 'better-auth-1.7/plugins/access'
import { defaultStatements } from 'better-auth-1.7/plugins/organization/access'
import { testSecret } from './settings.ts'

const tableNames = [
  'user',
  'session',
  'account',
  'verification',
  'organization',
  'member',
  'invitation',
  'team',
  'teamMember',
  'organizationRole',
  'jwks',
  'deviceCode',
]

interface User {
  readonly id: string
  readonly email: string
  role?: string
}

/** A server of the client's newest version in this process, with every plugin for which we have calls. */
export async function startNewestPeer() {
  const server = createServer((request, response) => void handler(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  /** Mailed tokens, by kind and address. */
  const mailed = new Map<string, string>()
  const tables = Object.fromEntries(tableNames.map((name): [string, User[]] => [name, []]))
  const auth = betterAuth({
    baseURL: origin,
    secret: testSecret,
    database: memoryAdapter(tables),
    rateLimit: { enabled: false },
    logger: { disabled: true },
    telemetry: { enabled: false },
    emailAndPassword: {
      enabled: true,
      sendResetPassword: async ({ user, token }) => void mailed.set(`reset-password:${user.email}`, token),
    },
    emailVerification: {
      sendVerificationEmail: async ({ user, token }) => void mailed.set(`verify-email:${user.email}`, token),
    },
    user: { changeEmail: { enabled: true }, deleteUser: { enabled: true } },
    plugins: [
      plugins.organization({
        teams: { enabled: true },
        dynamicAccessControl: { enabled: true },
        ac: createAccessControl(defaultStatements),
      }),
      plugins.admin(),
      plugins.jwt(),
      plugins.deviceAuthorization(),
      plugins.multiSession(),
      plugins.lastLoginMethod(),
      plugins.bearer(),
    ],
  })
  const handler = toNodeHandler(auth)
  return {
    origin,
    tokenFor: (kind: string, email: string) => mailed.get(`${kind}:${email}`) ?? '',
    makeAdmin: (id: string) => {
      const user = tables['user']?.find((one) => one.id === id)
      if (user) user.role = 'admin'
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
