import { describe, expect, it } from 'vitest'
import { useAcme } from '../../testing/use-service.ts'

const { service, ann, ben } = useAcme('admin')

describe('role list', () => {
  it('shows what each may', async () => {
    expect((await ben('role list --json')).json).toMatchObject({
      items: expect.arrayContaining([
        { role: 'member', permissions: {}, own: false },
        { role: 'admin', permissions: expect.objectContaining({ organization: ['update'] }), own: false },
      ]),
    })
    expect((await ben('roles ls -q')).stdout).toBe('owner\nadmin\nmember\n')
    expect((await ben('role list')).stdout).toContain('admin\torganization:update,member:create')
  })
})

describe('role view', () => {
  it('says what the role may, and who holds it where one works', async () => {
    expect((await ann('role view admin --json')).json).toMatchObject({
      role: 'admin',
      permissions: { organization: ['update'] },
      members: [{ email: 'ben@example.com', roles: ['admin'] }],
    })
    const shown = (await ann('role show owner')).stdout
    expect(shown).toMatch(/organization:delete.*\n?[^]*ann@example\.com/)
    expect(shown).not.toContain('ben@example.com')
  })

  it('needs no organization to say what the role may', async () => {
    const eve = await service.person('Eve')
    expect((await eve('role view admin --json=members,role')).json).toEqual({ members: null, role: 'admin' })
    expect((await eve('role view admin --org acme')).code).toBe(6)
  })

  it('is exit 6 for a role that is none', async () => {
    expect((await ann('role view king --json')).error).toMatchObject({
      exitCode: 6,
      message: 'No role king',
      hint: expect.stringContaining('role list'),
    })
  })
})

describe('role check', () => {
  const both = (code: number, words: string) => [words, code] as const
  it.each([
    both(0, 'member:create'),
    both(0, 'member:create team:create organization:update'),
    both(5, 'organization:delete'),
    both(5, 'member:create organization:delete'),
    both(5, 'organization:update organization:delete'),
    both(0, 'organization:update organization:delete --any'),
    both(0, 'organization:delete team:create --any'),
  ])('`%s` is exit %i for an admin, asked or decided here', async (words, code) => {
    const verdicts = [await ben(`role check ${words} --json`), await ann(`role check ${words} --as admin --json`)]
    for (const verdict of verdicts) {
      expect([verdict.code, verdict.stderr]).toEqual([code, ''])
      expect(verdict.json).toMatchObject({ allowed: code === 0, any: words.includes('--any') })
    }
    expect((await ben(`role check ${words}`)).stdout).toMatch(code === 0 ? /^Allowed: / : /^Denied: /)
    expect(await ben(`role check ${words} --quiet`)).toMatchObject({ code, stdout: '', stderr: '' })
  })

  it.each([
    ['nothing:here', 'No role knows a resource nothing', 'There is organization:…, member:…'],
    ['membr:create', 'No role knows a resource membr', 'postern role list'],
    ['member:creat', 'No role knows creat of member', 'There is member:create, member:update, member:delete.'],
    ['member:creat team:create --any', 'No role knows creat of member', 'member:create'],
    ['member:delete member:creat --as king', 'No role knows creat of member', 'member:create'],
    ['__proto__:toString', 'No role knows a resource __proto__', 'team:…'],
  ])('`%s` is exit 2: no role knows it', async (words, message, hint) => {
    const { exitCode, ...error } = (await ben(`role check ${words} --json`)).error
    expect([exitCode, error]).toEqual([2, expect.objectContaining({ message, hint: expect.stringContaining(hint) })])
  })

  it('decides for several roles as the service would', async () => {
    expect((await ann('role check organization:delete --as member,owner')).code).toBe(0)
    expect((await ann('role check organization:delete --as admin,member')).code).toBe(5)
    expect((await ann('role check organization:delete --as king --json')).error).toMatchObject({
      exitCode: 6,
      hint: expect.stringContaining('role list'),
    })
  })

  it('wants RESOURCE:ACTION', async () => {
    for (const word of ['member', 'member:', ':create', 'a:b:c']) {
      expect([word, (await ann(`role check ${word}`)).code]).toEqual([word, 2])
    }
  })
})
