import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { useOwnService, usePerson } from './use-service.ts'

const service = useOwnService()
const ann = usePerson(service, 'Ann')

beforeAll(async () => {
  await ann('org create Acme --slug acme')
  for (const name of ['"Blue", or green', 'Zebra', 'Team 10', 'Team 9'])
    await ann(['team', 'create', name, '-O', 'acme'])
})

const printed = async (...flags: readonly string[]) => {
  const { code, stdout, stderr } = await ann(['team', 'list', '-O', 'acme', ...flags])
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return stdout
}

describe('the form of the output', () => {
  it('csv: a header, quoted where needed, one row for each', async () => {
    expect(await printed('-o', 'csv', '--columns', 'name', '--sort', 'name')).toBe(
      'name\n"""Blue"", or green"\nAcme\nTeam 9\nTeam 10\nZebra\n',
    )
    const [header, ...rows] = (await printed('-o', 'csv')).trimEnd().split('\n')
    expect(header?.split(',')).toEqual(expect.arrayContaining(['id', 'name', 'createdAt']))
    expect(rows).toHaveLength(5)
  })

  it('tsv: the same with tabs', async () => {
    expect(await printed('-o', 'tsv', '--columns=name', '--sort', '-name', '--limit', '2')).toBe(
      'name\nZebra\nTeam 10\n',
    )
  })

  it('yaml has what json has', async () => {
    expect(parse(await printed('-o', 'yaml'))).toEqual(JSON.parse(await printed('--json')))
    expect(await printed('-ojson')).toBe(await printed('--json'))
  })

  it('ndjson, name and table are as --ndjson, --quiet and a terminal', async () => {
    expect(await printed('-o', 'ndjson')).toBe(await printed('--ndjson'))
    expect(await printed('--output=name')).toBe(await printed('-q'))
    expect(await printed('-o', 'table', '--columns', 'name,id')).toMatch(/^NAME +ID\n/)
  })

  it('what is text for people has a row too', async () => {
    expect((await ann('version -o csv')).stdout).toMatch(/^version,node,platform\n\S+,v\S+,\S+\n$/)
    expect((await ann('auth jar path -o tsv')).stdout).toMatch(/^account\tpath\nann@example\.com\t\S+\n$/)
    expect((await ann('completion bash -o csv')).stdout).toMatch(/^shell,script\nbash,"_postern/)
  })

  it('a change and an error', async () => {
    const { stdout } = await ann(['team', 'edit', 'Zebra', '--name', 'Zebras', '-O', 'acme', '-o', 'csv', '--debug'])
    expect(stdout).toMatch(/^status,.*\nupdated,/)
    await ann(['team', 'edit', 'Zebras', '--name', 'Zebra', '-O', 'acme'])
    const { code, stderr } = await ann(['team', 'edit', 'Nothing', '--name', 'X', '-O', 'acme', '-o', 'yaml'])
    expect([code, JSON.parse(stderr)]).toMatchObject([6, { error: { exitCode: 6 } }])
  })
})

describe('--template', () => {
  it('prints what it makes of the JSON', async () => {
    expect(await printed('--sort', 'name', '--template', '{{#items}}{{name}};{{/items}}')).toBe(
      '"Blue", or green;Acme;Team 9;Team 10;Zebra;\n',
    )
  })

  it.each([['--template', '{{#items}}']])('%s %s says what is wrong', async (...words) => {
    const { code, stdout, stderr } = await ann(['team', 'list', '-O', 'acme', ...words])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${words[0]}: `)
  })
})

describe('--jq', () => {
  it('prints what the program makes of a list, of its chosen fields, or of each item', async () => {
    const byName = ['--sort', 'name', '--limit', '2'] as const
    expect(await printed(...byName, '--jq', '.items[].name')).toBe('"Blue", or green\nAcme\n')
    expect(await printed(...byName, '--json=name', '--jq', '.items[1:]')).toBe('[{"name":"Acme"}]\n')
    expect(await printed(...byName, '--ndjson', '--jq', '.name | length')).toBe('16\n4\n')
    expect(await printed('--jq', 'empty')).toBe('')
  })

  it('reads one thing, a change, several, an answer of any call, and what else prints JSON', async () => {
    const made = async (...argv: readonly string[]) => (await ann([...argv, '-O', 'acme'])).stdout
    expect(await made('whoami', '--jq', '.email')).toBe('ann@example.com\n')
    expect(await made('team', 'create', 'Jay', '--jq', '[.status, .resource.name]')).toBe('["created","Jay"]\n')
    const invite = ['invitation', 'create', 'q1@example.com', 'q2@example.com', '--role', 'member']
    expect(await made(...invite, '--jq', '.summary.succeeded')).toBe('2\n')
    expect(await made(...invite, '--ndjson', '--jq', '"\\(.input) \\(.error == null)"')).toMatch(
      /^q1@.* \w+\nq2@.* \w+\n$/,
    )
    expect(await made('api', '/get-session', '--jq', '.user.email')).toBe('ann@example.com\n')
    expect(await made('team', 'delete', 'Jay', '--yes', '--jq', '.status')).toBe('deleted\n')
  })

  it('changes nothing if the program is wrong, and says what was done if only the output fails', async () => {
    const create = (program: string) => ann(['team', 'create', 'Kay', '-O', 'acme', '--jq', program])
    const wrong = await create('.[')
    expect([wrong.code, wrong.stdout, wrong.error?.['message']]).toEqual([
      2,
      '',
      '--jq: syntax error, unexpected end of file at <top-level>, line 1, column 2',
    ])
    const failed = await create('.status[]')
    expect([failed.code, failed.stdout, failed.error]).toEqual([
      2,
      '',
      expect.objectContaining({
        message: '--jq: Cannot iterate over string ("created")',
        hint: expect.stringContaining('Only the output failed'),
      }),
    ])
    expect(await printed('--jq', '[.items[] | select(.name == "Kay")] | length')).toBe('1\n')
    await ann(['team', 'delete', 'Kay', '-O', 'acme', '--yes'])
  })
})

describe('what cannot be', () => {
  it.each([
    ['org export acme', 'csv'],
    ['api /list-sessions', 'tsv'],
    ['api /list-sessions --paginate', 'csv'],
    ['api describe /list-sessions', 'csv'],
    ['account export', 'csv'],
    ['schema whoami', 'tsv'],
  ])('%s has no rows for -o %s', async (line, form) => {
    const { code, stdout, stderr } = await ann([...line.split(' '), '-o', form])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`This answer has no rows, so it cannot be printed as ${form}`)
    expect(stderr).toContain(`next: Choose -o json or -o yaml, or make rows of it: --jq '… | @${form}'`)
  })

  it.each(['-o csv', '-o yaml', '--jq .', '--template x'])('an export is no %s', async (flags) => {
    const { code, stdout, stderr } = await ann(`export ${flags}`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('An export is NDJSON')
  })

  it.each([
    [['-o', 'acme'], 'The organization is -O acme'],
    [['-o', 'csv', '--json'], '--json and --output csv cannot be combined'],
    [['-o', 'yaml', '-q'], '--quiet and --output yaml cannot be combined'],
    [['--jq', '.', '--template', 'x'], '--template and --jq cannot be combined'],
    [['--jq', '.', '-o', 'yaml'], '--output yaml and --jq cannot be combined'],
    [['--jq', '.', '-q'], '--quiet and --jq cannot be combined'],
    [['--columns', 'nme'], 'Unknown field for --columns: nme'],
    [['--columns', 'name', '--json=id'], 'Name them once'],
    [['--sort', 'nme'], 'Unknown field for --sort: nme'],
    [['--limit', '0'], '--limit is a number of at least 1, not 0'],
  ])('%j is exit 2', async (flags, told) => {
    const { code, stdout, stderr } = await ann(['team', 'list', '--org', 'acme', ...flags])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(told)
  })
})
