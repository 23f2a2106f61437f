import { expect, it } from 'vitest'
import { unopenedSecret } from '../../../shared/unopened-secret.ts'
import { useAcme } from '../../testing/use-service.ts'

const { service, ann, ben } = useAcme('member')

const aSecret = /^whsec_[\w+/]+=$/
const url = 'https://receiver.example.com/hook'

it('a webhook is created, seen, changed, rotated, resumed and deleted', async () => {
  const made = await ann(`webhook create ${url} --event member team-created`, { tty: ['stdout', 'stderr'] })
  const [sentence, secret] = made.stdout.trim().split('\n')
  expect([sentence, secret]).toEqual([`Created the webhook ${url}`, expect.stringMatching(aSecret)])
  const shown = await ann(`webhook view ${url} --json`)
  expect(shown.json).toMatchObject({ url, events: ['member', 'team-created'], status: 'active', deliveredAt: null })
  expect(shown.stdout).not.toContain(secret)
  const edited = await ann(`webhook edit ${url} --all-events --paused on --json`)
  expect(edited.json).toMatchObject({ resource: { events: null, status: 'paused' } })
  expect((await ann('webhook list --json=url,status')).json).toMatchObject({ items: [{ url, status: 'paused' }] })
  await ann(`webhook edit ${url} --event team --paused off`)
  expect((await ann(`webhook edit ${url} --event= --json`)).json).toMatchObject({ resource: { events: null } })
  expect((await ann(`webhook rotate ${url} -q`)).stdout.trim()).toMatch(aSecret)
  const { cursor } = shown.json as { cursor: string }
  expect((await ann(`webhook resume ${url} --after ${cursor}`)).stdout).toBe(`Resumed the webhook ${url}\n`)
  expect((await ann(`webhook view ${url} --json=cursor`)).json).toEqual({ cursor })
  const { code, stderr } = await ann(`webhook test ${url}`)
  expect([code, stderr]).toEqual([
    16,
    expect.stringMatching(
      /was not delivered to .+\. The host is unknown, or its address is not public\n  next: Check the spelling of the host\. .+WEBHOOK_PRIVATE_NETWORKS/,
    ),
  ])
  expect((await ann(`webhook delete ${url}`)).code).toBe(14)
  expect((await ann(`webhook delete ${url} --yes`)).code).toBe(0)
  expect(await ann('webhook list')).toMatchObject({ code: 0, stderr: 'No webhooks\n' })
})

it('an edit that says nothing, or two things, changes nothing', async () => {
  await ann(`webhook create ${url} --event member`)
  const before = (await ann(`webhook view ${url} --json`)).json
  const nothing = await ann(`webhook edit ${url}`)
  expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Nothing to change')])
  const both = await ann(`webhook edit ${url} --event team --all-events`)
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('not both')])
  expect((await ann(`webhook view ${url} --json`)).json).toEqual(before)
  await ann(`webhook delete ${url} --yes`)
})

it('a paused one that is resumed is called paused still, with the command that ends the pause', async () => {
  await ann(`webhook create ${url}`)
  await ann(`webhook edit ${url} --paused on`)
  const people = await ann(`webhook resume ${url}`, { tty: ['stdout', 'stderr'] })
  expect([people.stdout, people.stderr]).toEqual([
    `The webhook ${url} is still paused\n`,
    `It sends nothing until the pause ends:\npostern webhook edit ${url} --paused off\n`,
  ])
  const programs = await ann(`webhook resume ${url} --json`)
  expect(programs.json).toMatchObject({ status: 'unchanged', resource: { paused: true, status: 'paused' } })
  const { cursor } = (await ann(`webhook view ${url} --json=cursor`)).json as { cursor: string }
  expect((await ann(`webhook resume ${url} --after ${cursor} --json`)).json).toMatchObject({ status: 'updated' })
  await ann(`webhook edit ${url} --paused off`)
  expect((await ann(`webhook resume ${url}`)).stdout).toBe(`Resumed the webhook ${url}\n`)
  await ann(`webhook delete ${url} --yes`)
})

it('several are resumed and deleted at once, by what the list prints', async () => {
  for (const path of ['one', 'two']) await ann(`webhook create https://receiver.example.com/${path}`)
  const ids = (await ann('webhook list --quiet')).stdout
  expect((await ann('webhook resume - --json', { stdin: ids })).json).toMatchObject({
    results: [{ status: 'updated' }, { status: 'updated' }],
  })
  expect((await ann('webhook delete - --yes --json', { stdin: ids })).json).toMatchObject({
    results: [{ status: 'deleted' }, { status: 'deleted' }],
  })
})

it('a test that is not delivered fails, also at a service that does not say why', async () => {
  await ann(`webhook create ${url}`)
  const { id: webhookId } = (await ann(`webhook view ${url} --json=id`)).json as { id: string }
  service.replace(
    'POST /webhook/test',
    Response.json({
      webhookId,
      url,
      delivered: false,
      answered: null,
      milliseconds: null,
      reason: null,
    }),
  )
  const { code, stderr } = await ann(`webhook test ${url}`)
  expect([code, stderr]).toEqual([
    16,
    expect.stringContaining(`The test message was not delivered to ${url}\n  next: The receiver has to`),
  ])
  expect((await ann(`webhook delete ${url} --yes`)).code).toBe(0)
})

it('is found by its address with and without the slash at its end', async () => {
  await ann('webhook create https://receiver.example.com')
  await ann(`webhook create ${url}/`)
  for (const address of ['https://receiver.example.com', 'https://receiver.example.com/', url, `${url}/`])
    expect((await ann(`webhook delete ${address} --dry-run`)).code).toBe(0)
  await ann(`webhook create ${url}`)
  expect((await ann(`webhook view ${url} --json=url`)).json).toEqual({ url })
  for (const address of ['https://receiver.example.com', url, url]) await ann(`webhook delete ${address} --yes`)
})

it('a rotation does not promise that a secret signs which the service cannot decrypt', async () => {
  await ann(`webhook create ${url}`)
  expect((await ann(`webhook rotate ${url}`)).stderr).toContain('the previous one signs as well: it ends in 1 day')
  await service.service.deps.sql`update webhooks set last_error = ${unopenedSecret}`
  expect((await ann(`webhook rotate ${url}`)).stderr).toContain('the previous one no longer signs')
  await ann(`webhook delete ${url} --yes`)
})

it('one of the service is for administrators', async () => {
  expect((await ann(`webhook create ${url} --platform`)).code).toBe(5)
  await service.service.deps.sql`update users set roles = '{admin}' where email = 'ann@example.com'`
  const { json } = await ann(`webhook create ${url} --platform --json`)
  const { id } = (json as { resource: { id: string } }).resource
  expect((await ann('webhook list --platform --json=id')).json).toMatchObject({ items: [{ id }] })
  expect((await ann(`webhook delete ${id} --yes`)).code).toBe(0)
})

it.each([
  [`webhook create hook`, 2],
  ['webhook create https://ann:pw@receiver.example.com', 2],
  ['webhook create https://receiver.example.com/#part', 2],
  [`webhook create ${url} --event nothing`, 6],
  ['webhook create http://receiver.example.com', 12],
  ['webhook create https://10.0.0.1/hook', 12],
  ['webhook view nothing', 6],
  [`webhook edit ${url} --paused maybe`, 2],
])('%s is refused, and nothing is kept', async (line, code) => {
  expect((await ann(line)).code).toBe(code)
  expect(await service.service.deps.sql`select from webhooks`).toHaveLength(0)
})

it.each([
  ['--event nothing', url, 'docs/administration.md#events'],
  ['', 'http://localhost:3000/hook', 'WEBHOOK_PRIVATE_NETWORKS=127.0.0.1,::1'],
  ['', 'https://127.0.0.1/hook', 'WEBHOOK_PRIVATE_NETWORKS=127.0.0.1,::1'],
])('a refusal says what to do: %s %s', async (options, address, hint) => {
  const { error } = await ann(`webhook create ${address} ${options} --json`)
  expect(error['hint']).toContain(hint)
})

it('says of a host by its name when it is sent to without TLS', async () => {
  const inside = await service.sibling({ WEBHOOK_PRIVATE_NETWORKS: '10.0.0.0/8' })
  const cy = await inside.person('Cy')
  await cy('org create Globex --slug globex')
  const told = async (line: string) => (await cy(`webhook ${line}`)).stderr.match(/(?<=^|\n)By http.*/)?.[0]
  const note = /to only while hooks.internal is on .+ WEBHOOK_PRIVATE_NETWORKS. Try it: postern webhook test \S+$/
  expect(await told('create http://10.0.0.1/hook')).toBeUndefined()
  expect(await told('create https://hooks.internal/hook')).toBeUndefined()
  expect(await told('edit https://hooks.internal/hook --to http://hooks.internal/hook')).toMatch(note)
  expect(await told('edit http://hooks.internal/hook --event team')).toBeUndefined()
  expect(await told('create http://hooks.internal')).toMatch(note)
  await inside.service.deps.sql`delete from webhooks`
})

it('is for who may', async () => {
  expect((await ben(`webhook create ${url}`)).code).toBe(5)
  expect((await ben('webhook list')).code).toBe(5)
  expect(await service.service.deps.sql`select from webhooks`).toHaveLength(0)
})
