import type { Server } from 'node:http'
import type { Environment } from '../../server/config.ts'
import { drain, listen } from '../../server/process/listen.ts'
import { createTestService } from '../../server/testing/service.ts'
import { freePort } from './real-service.ts'
import { createRunner, type Runner } from './run-cli.ts'

export type TestPerson = Runner & { readonly email: string }

const password = 'correct horse battery staple'

/** The whole service on a real socket in this process, and people who each have a machine of their own. */
export async function startOwnService(settings: Environment = {}) {
  const port = Number(settings.PORT ?? (await freePort()))
  const url = `http://localhost:${port}`
  const service = await createTestService({ PORT: String(port), BASE_URL: url, ...settings })
  const server: Server = await listen(service.deps.config, service.app.fetch)
  const stranger = async (name: string): Promise<TestPerson> => {
    const postern = createRunner({ env: { POSTERN_URL: url } })
    const email = `${name.toLowerCase()}@example.com`
    const { code, stderr } = await postern(`sign-up --email ${email} --name ${name} --password-file -`, {
      stdin: password,
    })
    if (code !== 0) throw new Error(stderr)
    return Object.assign(postern, { email })
  }
  return {
    service,
    url,
    /** Signed up and in; the address is not verified. */
    stranger,
    /** The same with a verified address. */
    person: async (name: string): Promise<TestPerson> => {
      const person = await stranger(name)
      await service.deps.sql`update users set email_verified = true where email = ${person.email}`
      return person
    },
    stop: async () => {
      await drain(server, 0)
      await service.stop()
    },
  }
}

export type OwnService = Awaited<ReturnType<typeof startOwnService>>
