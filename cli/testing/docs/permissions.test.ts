import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { loadConfig } from '../../../server/config.ts'
import { found, type Person } from '../../../server/testing/organizations.ts'
import { createTestService } from '../../../server/testing/service.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { cookieHeader } from '../../../server/testing/visitor.ts'
import { listenTo } from '../../../server/testing/wire.ts'
import { codeBlocks } from './markdown.ts'
import { readPage } from './pages.ts'

type May = (request: object, organizationId: string, permissions: object) => Promise<boolean>

it('the roles of docs/applications.md decide what its function answers, and admins can still invite', async () => {
  const folder = temporaryFolder('permissions')
  const blocks = codeBlocks(readPage('docs/applications.md'))
  const textWith = (word: string) => blocks.find(({ text }) => text.includes(word))?.text ?? ''
  writeFileSync(join(folder, 'postern.config.ts'), textWith('organizationRoles'))
  const { roles } = await loadConfig({}, folder)
  const service = await createTestService({}, { extensions: { roles } })
  const wire = await listenTo(service)
  const file = join(folder, 'may.mjs')
  writeFileSync(file, textWith('has-permission').replace('http://localhost:4100', wire.origin))
  const { may } = (await import(pathToFileURL(file).href)) as { may: May }

  const acme = await found(service)
  const [admin, member, stranger] = [await acme.join('admin'), await acme.join('member'), service.visitor()]
  const asks = async ({ cookies }: Pick<Person, 'cookies'>) => {
    const request = { headers: { cookie: cookieHeader(cookies) }, ip: '203.0.113.7' }
    const answers = ['create', 'delete'].map(async (action) => may(request, acme.id, { project: [action] }))
    return Promise.all(answers)
  }
  expect(await Promise.all([acme.owner, admin, member, stranger, (await found(service)).owner].map(asks))).toEqual([
    [true, true],
    [true, true],
    [true, false],
    [false, false],
    [false, false],
  ])
  const invitation = { email: 'cy@example.com', role: 'member' }
  expect(await admin.post('/organization/invite-member', invitation)).toMatchObject({ status: 200 })
  await wire.stop()
  await service.stop()
})
