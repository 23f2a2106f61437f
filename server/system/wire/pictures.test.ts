import { expect, it } from 'vitest'
import { knownCalls } from '../../testing/calls.ts'
import { withHooks } from '../../testing/mailed.ts'
import { found, newSlug, serverHeaders } from '../../testing/organizations.ts'
import { dumpTables } from '../../testing/rows.ts'
import { testPassword } from '../../testing/service.ts'
import { useTestService } from '../../testing/use-service.ts'
import type { Reply } from '../../testing/visitor.ts'

const service = useTestService({ DATABASE_POOL: '2' })

const someone = () => `ann-${crypto.randomUUID()}@example.com`

/** Every way in for a picture, by the path of its call. */
const ways: Record<string, (picture: string) => Promise<Reply>> = {
  '/sign-up/email image': (image) =>
    service.visitor().post('/sign-up/email', { email: someone(), name: 'Ann', password: testPassword, image }),
  '/update-user image': async (image) => (await service.person()).post('/update-user', { image }),
  '/organization/create logo': async (logo) =>
    (await service.person()).post('/organization/create', { name: 'Acme', slug: newSlug(), logo }),
  '/organization/create logo, by a server': async (logo) => {
    const { userId } = (await found(service)).owner
    const asked = { name: 'Acme', slug: newSlug(), logo, userId }
    return service.visitor().post('/organization/create', asked, serverHeaders)
  },
  '/organization/create logo, by a function of the config file': async (logo) => {
    const hooked = await withHooks(service, { beforeCreateOrganization: () => ({ logo }) })
    return (await hooked.person()).post('/organization/create', { name: 'Acme', slug: newSlug() })
  },
  '/organization/update data.logo': async (logo) => {
    const { id: organizationId, owner } = await found(service)
    return owner.post('/organization/update', { organizationId, data: { logo } })
  },
}

it.each(Object.entries(ways))('%s takes no script, and stores none', async (_name, send) => {
  for (const picture of [
    'javascript:alert(1)',
    'data:text/html,<b>',
    'data:image/svg+xml;base64,PHN2Zz4=',
    '/only-a-path',
  ]) {
    const { status, body } = await send(picture)
    expect([picture, status, body.code]).toEqual([picture, 400, 'VALIDATION_ERROR'])
    expect(await dumpTables(service)).not.toContain(picture)
  }
  for (const picture of ['https://example.com/a.png', 'data:image/gif;base64,R0lGODlhAQABAAAAACw=', ''])
    expect([picture, (await send(picture)).status]).toEqual([picture, 200])
})

it('there is no other way in', () => {
  const named = knownCalls.flatMap(({ path, input }) =>
    ['image', 'logo'].filter((field) => field in input).map((field) => `${path} ${field}`),
  )
  expect(named.toSorted()).toEqual(['/organization/create logo', '/sign-up/email image', '/update-user image'])
})
