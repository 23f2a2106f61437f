import { expect, it } from 'vitest'
import { somebody } from '../testing/admins.ts'
import { settingsOf } from '../testing/database.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { useTestService } from '../testing/use-service.ts'
import { bootstrap } from './bootstrap.ts'

const service = useTestService()

it('finds the service of an environment, and leaves it', async () => {
  const { config } = service.deps
  const ann = await somebody(service)
  const env = { ...settingsOf(service.database), SECRET: config.SECRETS[0], LOG_LEVEL: 'silent' }
  const cwd = temporaryFolder('bootstrap')
  expect(await bootstrap({ email: ann.email, isForced: false }, { env, cwd })).toMatchObject({ outcome: 'done' })
  expect((await ann.get('/admin/list-users')).status).toBe(200)
})

it('makes no database where no service has kept one', async () => {
  const cwd = temporaryFolder('bootstrap')
  const asked = { email: 'ann@example.com', isForced: false }
  await expect(bootstrap(asked, { env: { DATA_DIR: cwd, LOG_LEVEL: 'silent' }, cwd })).rejects.toMatchObject({
    name: 'ConfigError',
  })
})
