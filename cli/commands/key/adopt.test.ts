import { beforeAll, describe, expect, it } from 'vitest'
import { useAcme } from '../../testing/use-service.ts'

const { service, ann, ben } = useAcme('admin')
let token: string
beforeAll(async () => {
  token = (await ben('key create deploy --role admin -q')).stdout.trim()
  await ben('key trust create site --issuer https://gitlab.com --claim project_path=acme/site --role admin')
})

const asMachine = (words: string) => ann(words, { env: { POSTERN_TOKEN: token } })

describe('key trust create', () => {
  const rule = 'key trust create rotation --issuer https://gitlab.com --claim project_path=acme/ops --role member'

  it('names the keys that its jobs may rotate', async () => {
    const { id } = (await ben('key view deploy --json')).json as { id: string }
    expect((await ann(`${rule} --rotates deploy --json`)).json).toMatchObject({ resource: { rotates: [id] } })
    expect((await ann('key trust list --json=name,rotates')).json).toMatchObject({
      items: [
        { name: 'rotation', rotates: [id] },
        { name: 'site', rotates: null },
      ],
    })
    expect((await ann(`${rule.replace('rotation', 'other')} --rotates no-such-key`)).code).toBe(6)
    await ann('key trust delete rotation --yes')
  })
})

describe('of a member who was demoted', () => {
  it('a key is limited, and a refusal says by what and what to do', async () => {
    await ann('member role set ben@example.com member')
    expect((await ann('key view deploy --json')).json).toMatchObject({
      status: 'limited',
      sponsorName: 'Ben',
      authority: 'limited',
    })
    const { code, stderr } = await asMachine('team create Red --org acme')
    expect([code, stderr]).toEqual([5, expect.stringContaining('postern key adopt KEY')])
    expect((await asMachine('member list --org acme')).code).toBe(0)
  })
})

describe('member remove', () => {
  const bring = async (name: string) => {
    const person = await service.person(name)
    await ann(`invitation create ${person.email} --role admin`)
    await person('invitation accept acme')
    await person(`key create ${name.toLowerCase()}-key --role admin -q`)
    return person
  }
  const namesOf = async () => (await ann('key list --json=name,status,sponsorName')).json

  it('leaves their keys without power where nothing is said, and says so', async () => {
    const cat = await bring('Cat')
    const { code, stderr } = await ann(`member remove ${cat.email} --yes`)
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 key or trust rule of theirs no longer work')])
    expect(await namesOf()).toMatchObject({
      items: expect.arrayContaining([{ name: 'cat-key', status: 'powerless', sponsorName: 'Cat' }]),
    })
  })

  it('ends them with --keys revoke and takes them over with --keys adopt', async () => {
    const [dan, eve] = [await bring('Dan'), await bring('Eve')]
    expect((await ann(`member remove ${dan.email} --keys revoke --yes`)).stderr).toContain(
      'Revoked 1 key or trust rule',
    )
    expect((await ann(`member remove ${eve.email} --keys adopt --yes`)).stderr).toContain(
      'You are responsible for 1 key',
    )
    const { items } = (await namesOf()) as { items: { name: string }[] }
    expect(items.map(({ name }) => name)).not.toContain('dan-key')
    expect(items).toContainEqual({ name: 'eve-key', status: 'active', sponsorName: 'Ann' })
    expect((await ann('member remove ben@example.com --keys keep --yes')).code).toBe(2)
  })
})

describe('of a member who was removed', () => {
  it('keys and rules are powerless, are shown so and say so', async () => {
    await ann('member remove ben@example.com --yes')
    expect((await ann('key list --json=name,status,sponsorName')).json).toMatchObject({
      items: expect.arrayContaining([{ name: 'deploy', status: 'powerless', sponsorName: 'Ben' }]),
    })
    expect((await ann('key view deploy')).stdout).toContain('Ben, not an active member: it can do nothing')
    expect((await ann('key trust list')).stdout).toContain('Ben, not an active member: it can do nothing')
    for (const words of ['whoami', 'member list --org acme']) {
      const { code, stderr } = await asMachine(words)
      expect([words, code, stderr]).toEqual([words, 5, expect.stringContaining('no longer an active member')])
    }
  })

  it('they are adopted in one call each, and twice changes nothing', async () => {
    expect((await ann('key adopt deploy')).stdout).toBe('deploy\tupdated\n')
    expect((await ann('key adopt deploy --json')).json).toMatchObject({
      results: [{ input: 'deploy', status: 'unchanged' }],
    })
    expect((await ann('key view deploy --json')).json).toMatchObject({ status: 'active', sponsorName: 'Ann' })
    expect((await ann('key trust adopt site --json')).json).toMatchObject({
      status: 'updated',
      resource: { name: 'site', sponsorName: 'Ann', authority: 'full' },
    })
    expect((await asMachine('team create Red --org acme')).code).toBe(0)
  })

  it('are adopted by nobody else', async () => {
    expect((await ben('key adopt deploy')).code).toBe(6)
    expect((await asMachine('key adopt deploy')).code).toBe(5)
    const { json } = await ann('key create laptop --mine --json')
    expect((await ann(`key adopt ${(json as { resource: { id: string } }).resource.id}`)).code).toBe(5)
  })
})
