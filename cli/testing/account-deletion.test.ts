import { expect, it } from 'vitest'
import type { OwnService } from './own-service.ts'
import { useOwnService } from './use-service.ts'

const service = useOwnService()
const byMail = useOwnService({ DELETE_USER_MODE: 'email' })

const slugsOf = async ({ service: { deps } }: OwnService) =>
  (await deps.sql<{ slug: string }[]>`select slug from organizations order by slug`).map(({ slug }) => slug)

it('deleting an account names the organizations that went along, and no other', async () => {
  const ann = await service.person('Ann')
  const ben = await service.person('Ben')
  await ann('org create Solo --slug solo')
  await ann('org create Shared --slug shared')
  await ann('invitation create ben@example.com --role owner --org shared')
  await ben('invitation accept shared')
  expect((await ann('org list --json=slug,soleMember')).json).toMatchObject({
    items: [
      { slug: 'solo', soleMember: true },
      { slug: 'shared', soleMember: false },
    ],
  })
  const done = await ann('account delete --confirm ann@example.com --json=email,organizations')
  const named = [{ id: expect.any(String), name: 'Solo', slug: 'solo' }]
  expect(done.json).toEqual({ status: 'deleted', resource: { email: 'ann@example.com', organizations: named } })
  expect(await slugsOf(service)).toEqual(['shared'])
  const last = await ben('account delete --confirm ben@example.com')
  expect(last.stdout).toBe('Deleted ben@example.com, and with it Shared (shared)\n')
  expect(await slugsOf(service)).toEqual([])
})

it('where a mail asks for consent, it is said before anything is deleted', async () => {
  const ann = await byMail.person('Ann')
  await ann('org create Solo --slug solo')
  const asked = await ann('account delete --confirm ann@example.com')
  expect(asked.stdout).toBe('Mailed ann@example.com a link to confirm it; nothing is deleted yet\n')
  expect(asked.stderr).toContain('Nobody else is in Solo (solo): it is deleted along with the account\n')
  expect(await slugsOf(byMail)).toEqual(['solo'])
})
